/** Scenarios M and N: what is typed there happens to a queue, its registry and a window. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/wire/json.ts';
import { BridgeRig } from './bridge-support.ts';
import { type Asking, breathe, KEY, SID } from './support.ts';

class Stage {
  readonly #rig = new BridgeRig();
  readonly #asked = new Map<string, Asking>();
  readonly #aborts = new Map<string, AbortController>();
  readonly #during = new Map<string, string>();
  #planned: number | undefined;

  constructor() {
    this.#rig.window.onFrame = () => {
      const id = this.#rig.window.requests.at(-1)?.params['request_id'];
      const line = this.#during.get(String(id));
      this.#during.delete(String(id));
      if (line !== undefined) this.#now(line);
    };
  }

  #abort(id: string): AbortController {
    const abort = this.#aborts.get(id) ?? new AbortController();
    this.#aborts.set(id, abort);
    return abort;
  }

  #approve(id: string): number {
    return this.#rig.queue.approvals.resolve(KEY, 'once', { requestId: id });
  }

  /** What can also happen inside something else. */
  #now(line: string): void {
    const [, verb = '', id = '', rest = ''] = /^(\w+) (\w+)(?: (?:with )?(\w+))?$/.exec(line) ?? [];
    if (verb === 'approve') this.#approve(id);
    else if (verb === 'interrupt') this.#abort(id).abort();
    else if (verb === 'pass') this.#rig.runtime.advance(Number(id) * 1_000);
    else if (verb === 'answer') this.#rig.answer(this.#card(id), { choice: rest });
    else throw new Error(`no such act: ${line}`);
  }

  #card(id: string): string | undefined {
    return this.#rig.window.requests.findLast(({ params }) => params['request_id'] === id)?.id;
  }

  #ends(id: string): string {
    const { verdict } = this.#asked.get(id) ?? {};
    if (verdict === undefined) return 'waits';
    const { resolved, choice, cancelled, superseded } = verdict;
    if (!resolved) return 'expired';
    if (cancelled === undefined) return `resolved ${choice}`;
    return `${cancelled} ${choice}${superseded === undefined ? '' : `, superseding ${superseded}`}`;
  }

  #digest(id: string): string {
    return String(this.#rig.window.requests.find(({ params }) => params['request_id'] === id)?.params['digest']);
  }

  readonly #words: readonly (readonly [RegExp, (...args: string[]) => unknown])[] = [
    [/^plan to approve (\w+) in (\d+) s$/, (id = '', s) => this.#plan(id, Number(s))],
    [/^ask (\w+) for (\d+) s$/, (id = '', s) => this.#ask(id, Number(s))],
    [/^pass (\d+) s$/, (s) => this.#rig.runtime.advance(Number(s) * 1_000)],
    [/^(\w+) waits$/, (id = '') => expect(this.#ends(id)).toBe('waits')],
    [/^the plan counted (\d)$/, (count) => expect(this.#planned).toBe(Number(count))],
    [/^approve (\w+): (\d)$/, (id = '', count) => expect(this.#approve(id)).toBe(Number(count))],
    [/^interrupt (\w+)$/, (id = '') => this.#abort(id).abort()],
    [/^while (\w+) is being sent, (.+)$/, (id = '', line = '') => void this.#during.set(id, line)],
    [/^open: (.+)$/, (ids) => expect(this.#open()).toBe(ids)],
    [/^claim (\w+): (\w+)$/, (id = '', how) => expect(this.#claim(id)).toBe(how)],
    [/^attach a hook to (\w+): (\w+)$/, (id = '', how) => expect(this.#attach(id)).toBe(how)],
    [/^(\w+)'s card was taken away: (\w+)$/, (id = '', why) => expect(this.#taken(id)).toEqual([why])],
    [/^(\w+)'s card was not taken away$/, (id = '') => expect(this.#taken(id)).toEqual([])],
    [/^when (\w+)'s card is taken away, (.+)$/, (id = '', line = '') => this.#whenTaken(id, line)],
    [/^(\w+): (.+)$/, (id = '', how) => expect(this.#ends(id)).toBe(how)],
  ];

  #plan(id: string, seconds: number): void {
    this.#rig.runtime.after(seconds * 1_000, () => {
      this.#planned = this.#approve(id);
    });
  }

  #ask(id: string, seconds: number): void {
    const signal = this.#abort(id).signal;
    this.#asked.set(id, this.#rig.queue.ask(id, { timeoutMs: seconds * 1_000, signal }));
  }

  #open(): string {
    const open = this.#rig.requests.openRequests(SID).map(({ params }: { params: JsonObject }) => params['request_id']);
    return open.length === 0 ? 'nothing' : open.join(' ');
  }

  #claim(id: string): string {
    const claim = this.#rig.queue.approvals.claim(id, this.#digest(id));
    return claim.ok ? 'ok' : claim.why;
  }

  #attach(id: string): string {
    return this.#rig.queue.approvals.attachHook(KEY, id, () => undefined) ? 'taken' : 'refused';
  }

  #taken(id: string): unknown[] {
    return this.#rig.window.cancelled.filter(([card]) => card === this.#card(id)).map(([, reason]) => reason);
  }

  #whenTaken(id: string, line: string): void {
    expect(this.#rig.queue.approvals.attachHook(KEY, id, () => this.#now(line.replace(/ s$/, '')))).toBe(true);
  }

  play(line: string): unknown {
    for (const [words, act] of this.#words) {
      const match = words.exec(line);
      if (match !== null) return act(...match.slice(1));
    }
    throw new Error(`no such line: ${line}`);
  }
}

describe.each(['M', 'N'])('scenario %s', (name) => {
  it('[RQ-R83, RQ-R84, RQ-R98] goes as it is written', async () => {
    const script = readFileSync(new URL(`../../scenarios/${name}.txt`, import.meta.url), 'utf8').split('\n');
    const stage = new Stage();
    let played = 0;
    for (const [at, line] of script.entries()) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      played += 1;
      try {
        stage.play(line);
      } catch (error) {
        throw new Error(`${name}.txt:${at + 1}: ${line}`, { cause: error });
      }
      // What is not read in the same breath can still be interrupted, so those lines stand together.
      if (!/^approve .*: 1$/.test(line)) await breathe();
      else if (!script[at + 1]?.startsWith('interrupt')) await breathe();
    }
    expect(played).toBeGreaterThan(15);
  });
});

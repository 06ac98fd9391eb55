/**
 * Scenarios, one step a line. What follows `: ` is what the step must say; a step without it need not say anything.
 *
 *   client a able|deaf|silent|terminal [for SID]   a connection; able has advertised, deaf has said something else
 *   send q METHOD [timeout=MS] [qids=q0,q1] [sid=SID]
 *   answer q by a JSON: true|false                 error q by a CODE: true|false
 *   later MS answer q by a JSON                    from a timer that was set before
 *   lock q QID WORD: what is still missing, `done`, `expired`, or a code
 *   interrupt q      cancel SID|all REASON: how many      pass MS      leave a      replay a: which ones
 *   race N: what came of N answers against deadlines of the same instant
 *   q: how it stands      a saw: what it was told since the last look      open: how many
 */
import type { Settlement } from '../../../src/requests/api.ts';
import { type Asked, answer, type FakePeer, failure, type Seen } from '../../../src/testing/requests/rig.ts';
import type { JsonObject } from '../../../src/wire/json.ts';
import { RequestRig } from './rig.ts';

interface Line {
  readonly said: string;
  readonly expected: string;
}

export class Script {
  readonly #rig = new RequestRig();
  readonly #clients = new Map<string, FakePeer>();
  readonly #asked = new Map<string, { readonly asked: Asked; readonly abort: AbortController }>();
  /** The verdict of each answer that a timer gave. */
  readonly #later: string[] = [];
  expectations = 0;

  async run(line: string): Promise<Line> {
    const { step, expected } = splitExpected(line.trim());
    const said = await this.#step(step, expected);
    if (expected === undefined) return { said, expected: said };
    this.expectations += 1;
    return { said, expected };
  }

  async #step(step: string, expected: string | undefined): Promise<string> {
    const [verb = '', ...words] = step.split(' ');
    const does: Readonly<Record<string, () => string>> = {
      client: () => this.#client(words),
      send: () => this.#send(words),
      answer: () => this.#answer(words),
      error: () => this.#error(words),
      later: () => this.#schedule(words),
      lock: () => this.#lock(words),
      interrupt: () => this.#interrupt(words),
      cancel: () => this.#cancel(words),
      pass: () => this.#pass(words),
      leave: () => this.#leave(words),
      replay: () => this.#replay(words),
      timers: () => this.#later.splice(0).join(' '),
      open: () => String(this.#rig.requests.openRequestCount()),
    };
    const act = Object.hasOwn(does, verb) ? does[verb] : undefined;
    if (verb === 'race') return this.#race(Number(words[0]));
    if (act !== undefined) return act();
    if (words[0] === 'saw') return this.#saw(verb);
    if (expected !== undefined && words.length === 0 && this.#asked.has(verb)) return this.#standing(verb);
    throw new Error(`a scenario does not know: ${step}`);
  }

  #peer(name = ''): FakePeer {
    const peer = this.#clients.get(name);
    if (peer === undefined) throw new Error(`no client ${name}`);
    return peer;
  }

  #question(name = '') {
    const found = this.#asked.get(name);
    if (found === undefined) throw new Error(`no question ${name}`);
    return found;
  }

  #client([name = '', how = 'able', , sid = 's']: string[]): string {
    const kind = how === 'terminal' ? 'stdio' : 'websocket';
    const peer = this.#rig.peer(name, [sid], kind, how === 'able');
    if (how === 'deaf') this.#rig.requests.heard(peer);
    this.#clients.set(name, peer);
    return how;
  }

  #send([name = '', method = '', ...rest]: string[]): string {
    const options = new Map(rest.map((one) => one.split('=') as [string, string]));
    const abort = new AbortController();
    const timeout = options.get('timeout');
    const qids = options.get('qids')?.split(',') ?? [];
    const sid = options.get('sid') ?? 's';
    const settings = { timeoutMs: timeout === undefined ? null : Number(timeout), qids, signal: abort.signal };
    const before = this.#rig.lastId(sid);
    const asked = this.#rig.ask(method, {}, settings, sid);
    this.#asked.set(name, { asked, abort });
    return asked.id === before ? 'refused' : 'sent';
  }

  #answer([name, , client, ...json]: string[]): string {
    const { id } = this.#question(name).asked;
    return String(this.#rig.requests.resolveResponse(answer(id, parsed(json)), this.#peer(client)));
  }

  #error([name, , client, code]: string[]): string {
    const { id } = this.#question(name).asked;
    return String(this.#rig.requests.resolveResponse(failure(id, Number(code)), this.#peer(client)));
  }

  #schedule([ms, , ...words]: string[]): string {
    this.#rig.runtime.after(Number(ms), () => void this.#later.push(this.#answer(words)));
    return 'set';
  }

  #lock([name, qid = '', word]: string[]): string {
    try {
      const value = word === 'null' ? null : word;
      const remaining = this.#rig.requests.lockAnswer(this.#question(name).asked.id, qid, value);
      if (remaining === null) return 'expired';
      return remaining.length === 0 ? 'done' : remaining.join(' ');
    } catch (error) {
      return String((error as { code?: number }).code);
    }
  }

  #interrupt([name]: string[]): string {
    this.#question(name).abort.abort('interrupted');
    return 'done';
  }

  #cancel([sid = '', reason]: string[]): string {
    return String(this.#rig.requests.cancel(sid === 'all' ? null : sid, reason as 'interrupted'));
  }

  #pass([ms]: string[]): string {
    this.#rig.runtime.advance(Number(ms));
    return 'passed';
  }

  #leave([name]: string[]): string {
    this.#rig.requests.forget(this.#peer(name));
    return 'left';
  }

  #replay([name]: string[]): string {
    const open = this.#rig.requests.replayTo(this.#peer(name), 's');
    const shown = open.map(({ id, params }) => [this.#nameOf(id), locksOf(params)].filter(Boolean).join(' '));
    return shown.length === 0 ? 'nothing' : shown.join(', ');
  }

  /** Alternately the answer or the deadline is first in the queue of the same instant. */
  async #race(count: number): Promise<string> {
    const wins = { answer: 0, deadline: 0, lost: 0, double: 0 };
    for (let run = 0; run < count; run++) {
      const rig = new RequestRig();
      let taken = false;
      const respond = (id: string): void => {
        taken = rig.requests.resolveResponse(answer(id));
      };
      let asked: Asked | undefined;
      if (run % 2 === 0) rig.runtime.after(10, () => respond(asked?.id ?? ''));
      asked = rig.ask('window.title', {}, { timeoutMs: 10 });
      const { id } = asked;
      if (run % 2 === 1) rig.runtime.after(10, () => respond(id));
      rig.runtime.advance(10);
      const settlement = await asked.outcome();
      wins[taken ? 'answer' : 'deadline'] += 1;
      if (taken !== (settlement?.kind === 'answered')) wins.lost += 1;
      if (asked.settledTimes !== 1) wins.double += 1;
    }
    return `${wins.answer} answered, ${wins.deadline} timed out, ${wins.lost} lost, ${wins.double} told twice`;
  }

  async #standing(name: string): Promise<string> {
    const { asked } = this.#question(name);
    const settlement = await asked.outcome();
    if (asked.error !== undefined) return `rejected ${String(asked.error)}`;
    return settlement === undefined ? 'open' : inWords(settlement);
  }

  #saw(client: string): string {
    const peer = this.#peer(client);
    const seen = peer.seen.splice(0).map((one) => this.#told(one));
    return seen.length === 0 ? 'nothing' : seen.join(', ');
  }

  #told({ kind, id, reason, by }: Seen): string {
    return [kind, this.#nameOf(id), reason ?? by ?? ''].filter(Boolean).join(' ');
  }

  #nameOf(id: string): string {
    for (const [name, { asked }] of this.#asked) if (asked.id === id) return name;
    return id;
  }
}

const parsed = (words: readonly string[]): JsonObject => JSON.parse(words.join(' ')) as JsonObject;

const locksOf = ({ answers }: JsonObject): string => (answers === undefined ? '' : JSON.stringify(answers));

/** JSON has colons too: what is expected stands after the last one that is in no brace and no quotes. */
function splitExpected(line: string): { step: string; expected: string | undefined } {
  let depth = 0;
  let isQuoted = false;
  let last = -1;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === '"') isQuoted = !isQuoted;
    if (!isQuoted && char === '{') depth += 1;
    if (!isQuoted && char === '}') depth -= 1;
    if (!isQuoted && depth === 0 && char === ':' && line[at + 1] === ' ') last = at;
  }
  if (last < 0) return { step: line, expected: undefined };
  return { step: line.slice(0, last), expected: line.slice(last + 2) };
}

function inWords(settlement: Settlement): string {
  switch (settlement.kind) {
    case 'answered':
      return `answered ${JSON.stringify(settlement.result)} by ${settlement.via}`;
    case 'failed':
      return `failed ${settlement.error.code ?? ''}`.trim();
    case 'cancelled':
      return [
        'cancelled',
        settlement.reason,
        settlement.cause ?? '',
        settlement.locked && JSON.stringify(settlement.locked),
      ]
        .filter(Boolean)
        .join(' ');
    case 'timed_out':
      return `timed_out ${JSON.stringify(settlement.locked)}`;
    default:
      return settlement.kind;
  }
}

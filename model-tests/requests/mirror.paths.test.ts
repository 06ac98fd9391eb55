/** Every transition of the mirror chart, taken by the real mirror, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { MirrorContext, MirrorEvent, MirrorValue } from '../../machines/requests/mirror.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import { type ChildLink, createMirror, type LockVerdict, type RelayVerdict } from '../../src/requests/mirror.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { RequestRig } from '../../test/requests/support/rig.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { MIRROR_EVENTS, MIRROR_INPUT, mirrorMachine } from './request.samples.ts';

const chart = compile(mirrorMachine);
interface Place {
  readonly value: MirrorValue;
  readonly context: MirrorContext;
}

/** A child that says what the path wants it to say. */
class Puppet implements ChildLink {
  answer: { resolve: (verdict: RelayVerdict) => void; reject: (error: unknown) => void } | undefined;
  verdict: LockVerdict = { status: 'expired' };

  send(): boolean {
    return true;
  }
  respond(): Promise<RelayVerdict> {
    return new Promise((resolve, reject) => {
      this.answer = { resolve, reject };
    });
  }
  lock(): Promise<LockVerdict> {
    return Promise.resolve(this.verdict);
  }
}

class MirrorDriver {
  readonly #rig = new RequestRig();
  readonly #mirror = createMirror({ requests: this.#rig.requests, logger: this.#rig.logger });
  readonly #child = new Puppet();
  readonly #page = this.#rig.peer('page');
  readonly #watcher = this.#rig.peer('watcher');
  readonly #verdicts: unknown[] = [];
  readonly #coverage: Coverage<typeof mirrorMachine>;

  constructor(coverage: Coverage<typeof mirrorMachine>) {
    this.#coverage = coverage;
  }

  async run(events: readonly MirrorEvent[]): Promise<void> {
    const { id, method } = MIRROR_INPUT;
    this.#mirror.fromChild(this.#child, { jsonrpc: '2.0', id, method, params: { session_id: 's' } });
    this.#coverage.start(MIRROR_INPUT);
    let at = start(chart, MIRROR_INPUT).snapshot as Place;
    for (const event of events) {
      this.#coverage.step(at, event);
      this.#watcher.seen.length = 0;
      this.#page.seen.length = 0;
      this.#verdicts.length = 0;
      const { snapshot, effects } = step(chart, at as never, event);
      at = snapshot as Place;
      this.#perform(event);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      this.#compare(
        event,
        at,
        effects.map(({ type }) => type),
      );
    }
  }

  #perform(event: MirrorEvent): void {
    const { id } = MIRROR_INPUT;
    const note = (verdict: Promise<unknown>): void =>
      void verdict.then(
        (one) => this.#verdicts.push(one),
        (error: { code?: number }) => this.#verdicts.push(error.code),
      );
    switch (event.type) {
      case 'ANSWER':
        return note(this.#mirror.answer(id, { value: 'x' }, this.#page));
      case 'ACK':
        return this.#child.answer?.resolve({ status: event.verdict, open: event.open });
      case 'RELAY_ERROR':
        return this.#child.answer?.reject(new Error('EPIPE'));
      case 'LOCKED':
        this.#child.verdict = { status: 'ok', remaining: ['other'] };
        return note(this.#mirror.lock(id, event.qid, 'locked', this.#page));
      case 'LOCK_ENDED':
        this.#child.verdict = event.verdict === 'ok' ? { status: 'ok', remaining: [] } : { status: 'expired' };
        return note(this.#mirror.lock(id, 'q1', 'locked', this.#page));
      case 'CHILD_CANCEL':
        return this.#says('request.cancel', { reason: 'timeout' });
      case 'CHILD_SETTLED':
        return this.#says('request.settled', { by: 'response' });
      case 'CHILD_EXIT':
        return same('exit', 'count', this.#mirror.childExited(this.#child), 1);
      case 'TURN_END':
        return same('turn end', 'count', this.#mirror.turnEnded('s'), 1);
    }
  }

  #says(type: string, rest: JsonObject): void {
    const { id, method } = MIRROR_INPUT;
    const payload = { id, method, ...rest };
    this.#mirror.fromChild(this.#child, {
      jsonrpc: '2.0',
      method: 'event',
      params: { type, session_id: 's', payload },
    });
  }

  #compare(event: MirrorEvent, { value, context }: Place, orders: readonly string[]): void {
    const what = JSON.stringify(event);
    const [shown] = this.#mirror.openRequests('s');
    same(what, 'open', this.#mirror.openRequestCount(), value === 'gone' ? 0 : 1);
    if (value !== 'gone') {
      same(
        what,
        'locked',
        Object.keys((shown?.params['answers'] ?? {}) as JsonObject).sort(),
        [...context.locked].sort(),
      );
    }
    const cancels = this.#watcher.ofKind('cancel').map(({ reason }) => reason);
    const expected = orders.includes('sayClosed')
      ? ['session_closed']
      : orders.includes('passCancel')
        ? ['timeout']
        : [];
    same(what, 'cancels', cancels, expected);
    const settles = orders.includes('saySettled') || orders.includes('passSettled') ? 1 : 0;
    same(what, 'settled', this.#watcher.ofKind('settled').length, settles);
    if (orders.includes('refuse')) same(what, 'verdict', this.#verdicts, [false]);
    if (event.type === 'ACK') same(what, 'verdict', this.#verdicts, [event.verdict === 'ok']);
    if (event.type === 'RELAY_ERROR') same(what, 'verdict', this.#verdicts, [5019]);
  }
}

describe('every transition of the mirror chart', () => {
  it('[RQ-R110][RQ-R111][RQ-R112] is taken by the mirror', async () => {
    const coverage = new Coverage(mirrorMachine);
    const paths = coverPaths(mirrorMachine, MIRROR_EVENTS, { inputs: [MIRROR_INPUT] });
    for (const { events } of paths) await new MirrorDriver(coverage).run(events);
    expect(coverage.untaken).toEqual([]);
    expect(paths.length).toBeGreaterThan(20);
  });
});

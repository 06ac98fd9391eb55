/** Every transition of the grant chart, taken by the queue, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { EventFromLogic } from 'xstate';
import type { GrantInput } from '../../machines/requests/grant.ts';
import { restore, start, step } from '../../machines/shared/step.ts';
import type { GrantSnapshot } from '../../src/requests/approval-charts.ts';
import { grantChart } from '../../src/requests/approval-charts.ts';
import { breathe, KEY, Rig } from '../../test/requests/approvals/support.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { DIGEST, GRANT_EVENTS, GRANT_INPUTS, grantMachine } from './approval-samples.ts';

type Event = EventFromLogic<typeof grantMachine>;

const WHY: Readonly<Record<string, string>> = {
  claimed: 'spent',
  done: 'spent',
  failed: 'spent',
  unknown: 'unknown_outcome',
  asked_again: 'unknown_outcome',
  refused: 'not_granted',
  revoked: 'not_granted',
};
const VISIBLE: Readonly<Record<string, string>> = { granted: 'not_started', claimed: 'claimed', unknown: 'unknown' };

class GrantDriver {
  readonly #coverage: Coverage<typeof grantMachine>;
  #rig = new Rig();
  #at: GrantSnapshot;

  constructor(input: GrantInput, coverage: Coverage<typeof grantMachine>) {
    this.#coverage = coverage;
    this.#at = start(grantChart, input).snapshot;
    coverage.start(input);
  }

  async run({ choice }: GrantInput, events: readonly Event[]): Promise<void> {
    this.#rig.ask('a', { digest: DIGEST });
    this.#rig.approvals.resolve(KEY, choice);
    await breathe();
    this.#compare('birth');
    for (const event of events) {
      this.#play(event);
      this.#compare(JSON.stringify(event));
    }
    const { ok } = this.#rig.approvals.claim('a', DIGEST);
    same('the end', 'released', ok, this.#at.value === 'granted');
    this.#rig.approvals.shutdown();
  }

  #play(event: Event): void {
    const { value } = this.#at;
    const result = this.#perform(event);
    this.#coverage.step(this.#at, event);
    const { snapshot, ignored } = step(grantChart, this.#at, event);
    if (event.type === 'CLAIM') {
      const { ok, why } = result as { ok: boolean; why?: string };
      same('claim', 'ok', ok, !ignored && snapshot.value === 'claimed');
      if (!ok) same('claim', 'why', why, ignored ? WHY[String(value)] : 'drifted');
    }
    if (event.type === 'DONE' || event.type === 'FAILED') same(event.type, 'done', result, !ignored);
    this.#at =
      event.type === 'RESTART' ? restore(grantChart, snapshot.value, snapshot.context) : (snapshot as GrantSnapshot);
  }

  #perform(event: Event): unknown {
    const { approvals } = this.#rig;
    switch (event.type) {
      case 'CLAIM':
        return approvals.claim('a', event.digest);
      case 'DONE':
        return approvals.done('a');
      case 'FAILED':
        return approvals.failed('a', 'why');
      case 'REVOKE':
        return approvals.clear(KEY, 'session over');
      case 'ASK_AGAIN':
        return this.#rig.ask('a', { digest: DIGEST, again: true });
      default:
        this.#rig = this.#rig.restart();
        return undefined;
    }
  }

  #compare(what: string): void {
    const { approvals, ledger } = this.#rig;
    const value = String(this.#at.value);
    const row = ledger.rows('grant').find(({ id }) => id === 'a');
    same(what, 'row', row?.['state'], value);
    const shown = approvals.grants(KEY).map(({ state }) => state);
    same(what, 'list', shown, VISIBLE[value] === undefined ? [] : [VISIBLE[value]]);
    same(what, 'asked again', this.#rig.ids(), value === 'asked_again' ? ['a'] : []);
  }
}

describe('every transition of the grant chart', () => {
  it('[RQ-I20, RQ-I22] [B3, B6, B7] is taken by the queue', async () => {
    const coverage = new Coverage(grantMachine);
    const paths = coverPaths(grantMachine, GRANT_EVENTS, {
      inputs: GRANT_INPUTS,
      serialize: ({ value, context }) => JSON.stringify([value, context.choice]),
    });
    // A denial has no path: nothing more can happen to it.
    for (const { input, events } of [...paths, ...GRANT_INPUTS.map((one) => ({ input: one, events: [] }))]) {
      await new GrantDriver(input as GrantInput, coverage).run(input as GrantInput, events as Event[]);
    }
    expect(paths.length).toBeGreaterThan(20);
    expect(coverage.untaken).toEqual([]);
  });
});

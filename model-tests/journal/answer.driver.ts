/** Makes the facade send one answer the events of a path, and compares it with the chart after each. */
import type { AnswerContext, AnswerEvent, AnswerInput } from '../../machines/journal/answer-facts.ts';
import { compile, type Snapshot, start, step } from '../../machines/shared/step.ts';
import type { Entry } from '../../src/journal.ts';
import { answerMachine, TAB } from '../support/charts.ts';
import type { Coverage } from '../support/cover.ts';
import type { DurableRig, Rig } from '../support/rig.ts';
import { same } from '../support/same.ts';

export const chart = compile(answerMachine);
export const LIMITS = { entriesPerTab: 12, carriedReleases: 3 };
type Place = Snapshot<AnswerContext, unknown>;
type Value = { readonly delivery: Entry['state']; readonly label: 'matched' | 'foreign' | 'ambiguous' };

const ASK = 'pa-ask';
const TEXT = 'the blue one';

export class AnswerDriver {
  readonly #rig: Rig;
  readonly #coverage: Coverage<typeof answerMachine>;
  readonly #lossTabs: string[] = [];
  #token = '';
  #key = TAB;
  #texts = 0;

  constructor(rig: Rig, coverage: Coverage<typeof answerMachine>) {
    this.#rig = rig;
    this.#coverage = coverage;
  }

  async run(input: AnswerInput, events: readonly AnswerEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'OFFER_TAKEN' && event.losses.length > 0) await this.#prepareLoss();
    }
    this.#rig.hooks.hush();
    await this.#bear(input);
    this.#coverage.start(input);
    const begun = start(chart, input);
    let at = begun.snapshot as Place;
    await this.#compare(at, 'birth', begun.effects);
    for (let i = 0; i < events.length; ) {
      const unit = unitAt(events, i, at);
      i += unit.length;
      at = await this.#runUnit(unit, at);
    }
  }

  /** One call of the facade and everything that its callbacks make of it. */
  async #runUnit(unit: readonly AnswerEvent[], before: Place): Promise<Place> {
    const effects: { type: string }[] = [];
    let at = before;
    for (const event of unit) {
      this.#coverage.step(at, event);
      const taken = step(chart, at as never, event);
      at = taken.snapshot as Place;
      effects.push(...taken.effects);
    }
    const { hooks, journal } = this.#rig;
    const [event, during] = unit as [AnswerEvent, AnswerEvent | undefined];
    hooks.hush();
    hooks.recallWorks = unit.at(-1)?.type === 'RECALLED' && unit.length > 1;
    hooks.unwritable = event.type === 'FORGET' && unit.length === 2 ? 'leaves the journal' : undefined;
    const owed = await this.#do(journal.droppedFor(this.#key));
    if (during?.type === 'OFFER_TAKEN') await this.#performOffer(during, event, before);
    else await this.#perform(event, before);
    const isGone = event.type === 'EVICT' || (event.type === 'FORGET' && unit.length === 1);
    await this.#compare(at, JSON.stringify(unit), effects, isGone, event);
    await this.#compareDebt(event, before, owed, effects);
    return at;
  }

  #do<T>(work: T | Promise<T>): Promise<T> {
    return this.#rig.done(work);
  }

  // ---- making things happen

  async #bear({ label, known, awaited, retired }: AnswerInput): Promise<void> {
    const { journal, hooks } = this.#rig;
    if (known) await this.#open();
    if (label === 'ambiguous') {
      const first = await this.#record('an earlier answer');
      // Returned, so that no close arms it and no offer of it comes before the one that is looked at.
      if (known) await this.#do(journal.markReturned(first.token));
    }
    if (retired) await this.#do(journal.closeAsks(TAB));
    else if (known && !awaited) await this.#do(journal.closeAsk(ASK));
    hooks.hush();
    this.#token = (await this.#record(TEXT)).token;
  }

  #open(): Promise<void> {
    const { journal } = this.#rig;
    return this.#do(journal.openAsk(ASK, { tabId: this.#key, fingerprint: 'print', question: 'the question?' }));
  }

  #record(text: string, askId = ASK): Promise<Entry> {
    return this.#do(this.#rig.journal.record(askId, text, { tabId: this.#key }));
  }

  /** A tab with one owed loss, and otherwise with answers that leave quietly and before any other. */
  async #prepareLoss(): Promise<void> {
    const { journal, hooks } = this.#rig;
    const tab = `loss-${this.#lossTabs.length + 1}`;
    this.#lossTabs.push(tab);
    for (let i = 0; i <= LIMITS.entriesPerTab; i++) {
      const askId = `pa-${tab}-${i}`;
      await this.#do(journal.openAsk(askId, { tabId: tab, fingerprint: askId, question: askId }));
      await this.#do(journal.record(askId, 'filler', { tabId: tab }));
    }
    hooks.carrier = 'filler-turn';
    for (const { token } of await this.#do(journal.entriesFor(tab))) {
      await this.#do(journal.markReturned(token));
      await this.#do(journal.ack(token, { carrier: 'filler-turn' }));
    }
    hooks.carrier = null;
    same('preparing', 'losses', await this.#do(journal.droppedFor(tab)), 1);
  }

  /** `inside` is done by the host while the queue is being offered the answer. */
  async #performOffer(
    event: AnswerEvent & { type: 'OFFER_TAKEN' },
    inside?: AnswerEvent,
    before?: Place,
  ): Promise<void> {
    const { journal } = this.#rig;
    const owed = await this.#do(journal.droppedFor(this.#key));
    if (event.losses.length === 0 && owed > 0) await this.#do(journal.retireDebt(this.#key, null));
    if (event.losses.length > 0 && owed === 0) {
      await this.#do(journal.moveKey(this.#lossTabs.shift() ?? 'nowhere', this.#key));
    }
    this.#rig.hooks.hush();
    const answer = event.carrier === null ? true : { carrier: event.carrier };
    const nested: Promise<void>[] = [];
    const delivering = journal.deliverPending(this.#key, (_payload, token) => {
      if (token !== this.#token) return false;
      if (inside !== undefined && before !== undefined) nested.push(this.#perform(inside, before));
      return answer;
    });
    await this.#do(delivering);
    await this.#do(Promise.all(nested));
  }

  async #perform(event: AnswerEvent, before: Place): Promise<void> {
    const { journal, hooks } = this.#rig;
    switch (event.type) {
      case 'CLOSE':
        do await this.#do(journal.closeAsk(ASK));
        while ((await this.#do(journal.ticketFor(ASK)))?.awaiting === true);
        return;
      case 'RETURN':
        hooks.carrier = event.carrier;
        return this.#do(journal.markReturned(this.#token, { replay: event.replay }));
      case 'OFFER_TAKEN':
        return this.#performOffer(event);
      case 'OFFER_REFUSED':
        return void (await this.#do(journal.deliverPending(this.#key, () => false)));
      case 'RECEIPT':
        return this.#do(journal.ack(this.#token, event.carrier === null ? {} : { carrier: event.carrier }));
      case 'HANDBACK': {
        const named = event.carrier === null ? {} : { carrier: event.carrier };
        return this.#do(journal.release(this.#token, { carried: event.carried, ...named }));
      }
      case 'BLUR':
        if (event.erase) return this.#open();
        this.#texts += 1;
        return void (await this.#record(`another answer ${this.#texts}`));
      case 'BOUNDARY':
        return this.#do(journal.closeAsks(this.#key));
      case 'EVICT':
        return this.#evict();
      case 'FORGET':
        return this.#do(journal.forget(this.#key));
      case 'MOVE':
        await this.#do(journal.moveKey(this.#key, event.to));
        this.#key = event.to;
        return;
      case 'PARK':
        return this.#do((this.#rig as DurableRig).coordinator.park(this.#token, event.why));
      case 'REDELIVER':
        return this.#do((this.#rig as DurableRig).coordinator.journal.redeliver(this.#token, { repeat: event.repeat }));
      case 'RESTART':
        // Without a copy a retired answer hears of a restart through its card alone, while some handler awaits that.
        if ((before.value as Value).delivery === 'retired' && !before.context.copyOut) await this.#open();
        hooks.hush();
        return (this.#rig as DurableRig).restart();
      default:
        throw new Error(`no executor for ${event.type}`);
    }
  }

  async #evict(): Promise<void> {
    for (let i = 0; i < 3 * LIMITS.entriesPerTab; i++) {
      if ((await this.#entry()) === undefined) return;
      this.#texts += 1;
      await this.#record('filler', `pa-filler-${this.#texts}`);
    }
    throw new Error('the bound did not take it');
  }

  // ---- comparing

  async #entry(): Promise<Entry | undefined> {
    const entries = await this.#do(this.#rig.journal.entriesFor(this.#key));
    return entries.find(({ token }) => token === this.#token);
  }

  async #compare(
    at: Place,
    what: string,
    effects: readonly { readonly type: string }[],
    isGone = false,
    event?: AnswerEvent,
  ): Promise<void> {
    this.#compareEffects(what, effects, event);
    const entry = await this.#entry();
    if (isGone) return same(what, 'presence', entry, undefined);
    if (entry === undefined) throw new Error(`${what}: the entry is gone`);
    const { context } = at;
    const value = at.value as Value;
    same(what, 'view', seen(entry), {
      state: value.delivery,
      key: context.key,
      correlation: { status: value.label === 'matched' ? 'matched' : 'foreign', askId: ASK },
      recoverable: value.label === 'matched' && value.delivery !== 'retired',
      ambiguousId: value.label === 'ambiguous',
      retired: value.delivery === 'retired',
      isKnown: context.known,
      delivery: value.delivery === 'pending' || value.delivery === 'handed_off' ? value.delivery : 'none',
      channel: context.channel,
      returned: context.returned,
      acked: context.proven !== 'no',
      rides: context.rides,
      attempts: context.attempts,
      carriedReleases: context.carriedReleases,
      replayHint: context.hint,
      shown: context.shown.length,
      copyOut: context.copyOut,
      isPrintless: context.erased || context.bornAs !== 'matched',
    });
    if (this.#rig.kind === 'memory') return;
    const row = (this.#rig as DurableRig).store.book.entry(Number(this.#token.slice(2)));
    const plain = ({ shown, token: _token, ...rest }: AnswerContext) => ({ ...rest, shown: shown.length });
    same(what, 'row', row && [row.at.value, plain(row.at.context)], [value, plain(context)]);
  }

  #compareEffects(what: string, effects: readonly { readonly type: string }[], event?: AnswerEvent): void {
    const { lines, recalls, flushed } = this.#rig.hooks;
    const ordered = (type: string): number => effects.filter((one) => one.type === type).length;
    const said = (...parts: string[]): number =>
      lines.filter((line) => parts.every((part) => line.includes(part))).length;
    same(what, 'recalls', recalls, Array(ordered('recallCopy')).fill(this.#token));
    // A second answer may be owed a push of its own, and a restart flushes every tab that has something pending.
    if (event?.type !== 'BLUR' && event?.type !== 'RESTART') {
      same(what, 'flushes', flushed, Array(ordered('flushTab')).fill(this.#key));
    } else if (ordered('flushTab') > 0) same(what, 'flush', flushed.includes(this.#key), true);
    same(what, 'refusals', said('receipt for the answer', 'refused'), ordered('warnRefused'));
    same(what, 'settlements', said('now counts as read'), ordered('warnSettled'));
    same(what, 'undelivered', said('was replaced before the answer', TEXT), ordered('warnUndelivered'));
    same(what, 'losses', said('is owed as dropped', TEXT), ordered('noteLoss'));
    same(what, 'quiet ends', said(`the proven answer ${this.#token} left`), ordered('logDropped'));
    same(what, 'retired ends', said('of a replaced conversation', 'left the journal', TEXT), ordered('logRetired'));
    if (this.#rig.hooks.unwritable === undefined) {
      same(what, 'farewells', said('leaves the journal', TEXT), ordered('warnForgotten'));
    }
  }

  async #compareDebt(
    event: AnswerEvent,
    before: Place,
    owed: number,
    effects: readonly { readonly type: string }[],
  ): Promise<void> {
    if (event.type !== 'RECEIPT' && event.type !== 'HANDBACK' && event.type !== 'RETURN') return;
    const told = effects.some(({ type }) => type === 'settleShown') ? before.context.shown.length : 0;
    same(JSON.stringify(event), 'debt', await this.#do(this.#rig.journal.droppedFor(this.#key)), owed - told);
  }
}

/** Recalls are answered within the call that orders them; an offer may end after the host has done something else. */
function unitAt(events: readonly AnswerEvent[], from: number, at: Place): readonly AnswerEvent[] {
  let to = from + 1;
  const isPending = (at.value as Value).delivery === 'pending';
  const [first] = events.slice(from) as [AnswerEvent];
  const mayBeInside = isPending && (first.type === 'BOUNDARY' || (first.type === 'RETURN' && first.carrier !== null));
  if (mayBeInside && events[to]?.type === 'OFFER_TAKEN') to += 1;
  if (events[to]?.type === 'RECALLED') to += 1;
  return events.slice(from, to);
}

function seen(entry: Entry) {
  const { state, key, correlation, recoverable, ambiguousId, retired, delivery, channel, returned, acked } = entry;
  const { rides, attempts, carriedReleases, replayHint, shown, copyOut } = entry;
  return {
    ...{ state, key, correlation, recoverable, ambiguousId, retired, delivery, channel, returned, acked },
    ...{ rides, attempts, carriedReleases, replayHint, shown, copyOut },
    isKnown: entry.provenance !== 'unknown',
    isPrintless: entry.fingerprint === null,
  };
}

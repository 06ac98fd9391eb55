/** Several windows of a client on one host, whose lines break at random; and what must hold when all is quiet. */
import type { Settlement } from '../../src/requests/api.ts';
import { personKinds } from '../../src/wire/card-kinds.ts';
import { type CardDesk, createCardDesk } from '../../src/wire/cards.ts';
import type { Channel } from '../../src/wire/channel.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import type { AnswerVerdict } from '../../src/wire/question-types.ts';
import { Gateway, windowOn } from './gateway.ts';

const SIDS = ['s1', 's2', 's3'];
const PAGE = 3;

/** Equal seeds give equal runs. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Given {
  readonly id: string;
  readonly window: string;
  readonly text: string;
  verdict: AnswerVerdict | undefined;
}

interface Window {
  readonly name: string;
  readonly channel: Channel;
  readonly desk: CardDesk;
  readonly sids: readonly string[];
  /** Ids that were taken off this window for good. */
  readonly gone: Set<string>;
}

export class Windows {
  readonly gateway: Gateway;
  readonly windows: readonly Window[];
  readonly settlements = new Map<string, Settlement>();
  readonly given: Given[] = [];
  readonly faults: string[] = [];
  readonly rang = new Set<string>();
  readonly #random: (below: number) => number;
  #texts = 0;

  constructor(seed: number, { form = 'answer' }: { form?: 'answer' | 'response' } = {}) {
    this.#random = randomOf(seed);
    this.gateway = new Gateway({
      handlers: { 'host.resume': (params, peer) => this.#resume(params, peer) },
    });
    const kinds = { ...personKinds, clarify: { form } };
    // Two windows that show some sessions, one that shows all of them, in pages.
    const shows = [SIDS.slice(0, 2), SIDS.slice(1), SIDS];
    this.windows = shows.map((sids, at) => this.#window(`w${at}`, sids, kinds));
    for (const { channel } of this.windows) channel.open();
    this.gateway.wire.settle();
  }

  #window(name: string, sids: readonly string[], kinds: typeof personKinds): Window {
    const all = sids.length === SIDS.length;
    const channel = windowOn(this.gateway, {
      ...(all ? { resume: { method: 'host.resume' } } : {}),
      heartbeat: { everyMs: 5_000, deadlineMs: 12_000 },
      onCallbackError: (error) => this.faults.push(`${name}: ${String(error)}`),
    });
    if (!all) for (const sid of sids) channel.show(sid);
    const desk = createCardDesk({
      channel,
      kinds,
      notify: ({ id }) => {
        if (this.rang.has(`${name} ${id}`)) this.faults.push(`${name} rang twice for ${id}`);
        this.rang.add(`${name} ${id}`);
      },
    });
    const gone = new Set<string>();
    desk.observe(() => {
      const ids = desk.cards().map(({ id }) => id);
      if (new Set(ids).size !== ids.length) this.faults.push(`${name} shows a card twice`);
      for (const { id } of desk.gone.slice(0, 3)) gone.add(id);
      for (const id of ids) if (gone.has(id)) this.faults.push(`${name} shows ${id} again`);
    });
    return { name, channel, desk, sids, gone };
  }

  #resume({ cursor }: JsonObject, peer: Parameters<Gateway['requests']['attach']>[0]): JsonObject {
    this.gateway.requests.attach(peer, SIDS);
    const all = SIDS.flatMap((sid) => this.gateway.requests.replayTo(peer, sid));
    const rest = all.filter(({ id }) => typeof cursor !== 'string' || id > cursor);
    const page = rest.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, PAGE);
    const open = page.map(({ id, method, params }) => ({ id, method, params }));
    return { open_requests: open, ...(rest.length > PAGE ? { more: page.at(-1)?.id ?? '' } : {}) };
  }

  /** One thing that can happen. */
  step(): void {
    const { gateway } = this;
    const { lines } = gateway.wire;
    const line = lines[Math.max(0, lines.length - 1 - this.#random(4))];
    const window = this.windows[this.#random(this.windows.length)];
    if (line === undefined || window === undefined) return;
    const dice = this.#random(200);
    if (dice < 20) this.#ask();
    else if (dice < 50) this.#answer(window);
    else if (dice < 62) this.#lock(window);
    else if (dice < 67) gateway.requests.cancel(SIDS[this.#random(SIDS.length)] ?? null);
    else if (dice < 110) line.flush('down', 1 + this.#random(8));
    else if (dice < 150) line.flush('up', 1 + this.#random(8));
    else if (dice < 154) line.duplicate(this.#random(2) === 0 ? 'up' : 'down');
    else if (dice < 158) this.#cut(line);
    else if (dice < 160) gateway.wire.isUp = this.#random(3) !== 0;
    else if (dice < 166) window.channel.hurry();
    else gateway.runtime.advance([10, 200, 600, 1_500][this.#random(4)] ?? 0);
  }

  #cut(line: Gateway['line']): void {
    const notice = (['both', 'client', 'server'] as const)[this.#random(3)] ?? 'both';
    const keep = (['up', 'down', undefined] as const)[this.#random(3)];
    line.cut(keep === undefined ? { notice } : { notice, keep });
  }

  #ask(): void {
    const sid = SIDS[this.#random(SIDS.length)] ?? '';
    const isBatch = this.#random(3) === 0;
    const ask = (qid: string): JsonObject => ({ qid, question: 'q?', choices: null, multi_select: false });
    const params: JsonObject = isBatch ? { questions: [ask('a'), ask('b')] } : { question: 'the one?' };
    const timeoutMs = this.#random(4) === 0 ? 5_000 : null;
    const settling = this.gateway.requests.send('clarify', sid, params, {
      timeoutMs,
      ...(isBatch ? { qids: ['a', 'b'] } : {}),
    });
    const id = this.gateway.requests.openRequests(sid).at(-1)?.id;
    void settling.then((settlement) => {
      if (settlement.kind !== 'unanswerable' && id !== undefined) this.settlements.set(id, settlement);
    });
  }

  #answer({ name, desk }: Window): void {
    const cards = desk.cards();
    const card = cards[this.#random(Math.max(1, cards.length))];
    if (card === undefined) return;
    this.#texts += 1;
    const text = `${name}-${this.#texts}`;
    const isBatch = card.params['questions'] !== undefined;
    desk.draft(card.id, text);
    const verdict = desk.answer(card.id, isBatch ? { answers: { a: text, b: text } } : { answer: text });
    if (verdict === false) return;
    const given: Given = { id: card.id, window: name, text, verdict: undefined };
    this.given.push(given);
    void verdict.then((told) => {
      given.verdict = told;
      if (told.status !== 'not-sent') return;
      const kept = desk.card(card.id);
      // It may have been rewritten or taken away since; what is there is never empty.
      if (kept !== undefined && kept.state === 'detached' && kept.draft === undefined)
        this.faults.push(`${name} lost the draft of ${card.id}`);
    });
  }

  #lock({ desk }: Window): void {
    const batches = desk.cards().filter(({ params }) => params['questions'] !== undefined);
    const card = batches[this.#random(Math.max(1, batches.length))];
    this.#texts += 1;
    if (card !== undefined) void desk.lock(card.id, this.#random(2) === 0 ? 'a' : 'b', `lock-${this.#texts}`);
  }

  /** The network heals; everything that is under way comes to its end, without a deadline of a question passing. */
  async heal(): Promise<void> {
    const { wire, runtime } = this.gateway;
    wire.isUp = true;
    for (let round = 0; round < 40; round += 1) {
      wire.settle();
      await runtime.settle();
      runtime.advance(1_000);
    }
    wire.settle();
    await runtime.settle();
  }

  /** What does not hold now that all is quiet. */
  judge(): readonly string[] {
    return [...this.faults, ...this.#cardFaults(), ...this.given.flatMap((one) => this.#answerFaults(one))];
  }

  /** I-26: what is shown is what is open, no more and no less. */
  #cardFaults(): string[] {
    return this.windows.flatMap(({ name, channel, desk, sids }) => {
      const { state, caughtUp } = channel.state;
      if (state !== 'ready' || !caughtUp) return [`${name} is ${state}, not caught up`];
      const open = sids.flatMap((sid) => this.gateway.requests.openRequests(sid)).map(({ id }) => id);
      const cards = desk.cards();
      const shown = cards.map(({ id }) => id);
      const dead = shown.filter((id) => !open.includes(id)).map((id) => `${name} shows ${id}, which is over`);
      const lost = open.filter((id) => !shown.includes(id)).map((id) => `${name} does not show ${id}`);
      const stuck = cards.filter((card) => card.state !== 'live').map(({ id }) => `${name}: ${id} is detached`);
      return [...dead, ...lost, ...stuck];
    });
  }

  /** I-27: what somebody was told of an answer is so. */
  #answerFaults({ id, window, text, verdict }: Given): string[] {
    const settlement = this.settlements.get(id);
    const isIt =
      settlement?.kind === 'answered' &&
      settlement.via === 'response' &&
      JSON.stringify(settlement).includes(`"${text}"`);
    const status = verdict?.status;
    if (status === undefined) return [`${window}: nobody said what became of ${text}`];
    if (status === 'ok' && !isIt) return [`${window} was told that ${text} was accepted, and it was not`];
    if (status === 'expired' && isIt)
      return [`${window} was told that ${text} came too late, and it is the settlement`];
    if (status === 'not-sent' && isIt)
      return [`${window} was told that ${text} was not sent, and it is the settlement`];
    return [];
  }

  /** I-24: of one window and one id, all answers that ever arrived are the same. */
  doubles(): readonly string[] {
    const lines = this.gateway.wire.lines.length;
    const said = new Map<string, Set<string>>();
    for (const { frame } of this.gateway.heard) {
      const isAnswer = frame['method'] === 'request.answer';
      if (!isAnswer && frame['method'] !== undefined) continue;
      const params = frame['params'] as JsonObject | undefined;
      const id = String(isAnswer ? params?.['id'] : frame['id']);
      const result = JSON.stringify(isAnswer ? params?.['result'] : frame['result']);
      const window = /w\d/.exec(result)?.[0] ?? '';
      const key = `${id} of ${window}`;
      said.set(key, (said.get(key) ?? new Set()).add(result));
    }
    return lines === 0 ? ['no line'] : [...said].filter(([, texts]) => texts.size > 1).map(([key]) => key);
  }
}

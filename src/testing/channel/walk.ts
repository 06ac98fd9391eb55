/** Sequences as plain data: what server, line, handler and person do to the cards of a window, and what is seen of them. */
import type { JsonObject } from '../../wire/json.ts';
import type { Question } from '../../wire/question.ts';
import type { AnswerVerdict, LockVerdict, QuestionOwner } from '../../wire/question-types.ts';
import { type ChannelSubject, Hand, question } from './hand.ts';
import { type CardSight, cardWords, frameWords, verdictWords } from './sight.ts';

export const CARDS = ['q1', 'q2'] as const;
type CardName = (typeof CARDS)[number];

/** `works`: it has taken the question, and may crash later. */
export const HANDLED = ['takes', 'works', 'answers', 'responds', 'declines', 'passes', 'crashes'] as const;
type Handled = (typeof HANDLED)[number];

/** One thing that happens to a window in which the session `s` is shown. */
export type CardStep =
  /** What the handler will do with questions that it has not seen; at first it takes them. */
  | { readonly do: 'handler'; readonly does: Handled }
  /** The server asks, or asks again; `locked`: it has fixed the answer to `a`. */
  | { readonly do: 'ask'; readonly card: CardName; readonly locked: boolean }
  /** The server says that it is over: taken back, or settled by somebody. */
  | { readonly do: 'cancel' | 'settle'; readonly card: CardName }
  /** The client asks what is open; so it does by itself on a new line, if it knows a card. */
  | { readonly do: 'activate' }
  /** The server replies to the oldest such call of this line. */
  | { readonly do: 'shows'; readonly open: readonly CardName[]; readonly locked: boolean }
  /** In the acknowledged form, or by a response frame. */
  | { readonly do: 'answer' | 'respond'; readonly card: CardName; readonly text: string }
  /** This window does not show it any more; or a handler that works on it crashes. */
  | { readonly do: 'decline' | 'crash'; readonly card: CardName }
  | { readonly do: 'lock'; readonly card: CardName; readonly qid: string }
  /** What the server replies to the oldest answer of this line; `unknown`: it does not know the acknowledged form. */
  | { readonly do: 'verdict'; readonly says: 'ok' | 'expired' | 'refused' | 'unknown' }
  /** What the server replies to the oldest lock of this line; `more`: another question of the batch is left. */
  | { readonly do: 'locked'; readonly says: 'more' | 'last' | 'expired' | 'refused' }
  | { readonly do: 'cut' }
  /** Nothing leaves on this line any more, which the client finds out when it says something. */
  | { readonly do: 'break' }
  /** The line is cut, if it was not yet, and the next one is greeted; another epoch is another server. */
  | { readonly do: 'again'; readonly epoch: string };

interface Owed {
  readonly method: string;
  readonly id: string | number | undefined;
  readonly line: number;
}

const ANSWER = 'request.answer';
const LOCK = 'clarify.lock';
/** Calls whose reply shows what is open. */
const SNAPSHOTS = ['session.activate', 'session.events.since'];
const NOTHING_OWED = 'nothing is owed';
const FIRST_EPOCH = 'e1';

export class CardWorld {
  readonly #hand: Hand;
  readonly #held = new Map<string, Question>();
  readonly #crashes = new Map<string, () => void>();
  /** Calls that the server has not replied to. */
  #owed: Owed[] = [];
  #told: string[] = [];
  #handled: Handled = 'takes';

  constructor(subject: ChannelSubject) {
    const options = {
      // So few that a second answer without a receipt counts the first one as arrived.
      limits: { unconfirmed: 1 },
      onUnhandledRequest: ({ id }: Question): void => void this.#told.push(`${id} unhandled`),
      onRequestHandlerError: ({ id }: Question): void => void this.#told.push(`${id} crashed`),
    };
    this.#hand = new Hand(options, subject);
    this.#hand.channel.onRequest('*', (asked) => this.#handle(asked) as QuestionOwner);
    this.#hand.greet({ epoch: FIRST_EPOCH });
    this.#frames();
  }

  /** One step, and what is to be seen after it. */
  async take(step: CardStep): Promise<CardSight> {
    let said: string;
    try {
      said = this.#perform(step) ?? '';
    } catch (error) {
      said = `threw ${String(error)}`;
    }
    await this.#hand.runtime.settle();
    return {
      said,
      frames: this.#frames(),
      told: this.#told.splice(0),
      cards: [...this.#held.values()].map(cardWords),
      open: this.#hand.channel.questions.map(({ id }) => id),
    };
  }

  #perform(step: CardStep): string | undefined {
    const hand = this.#hand;
    switch (step.do) {
      case 'handler':
        this.#handled = step.does;
        return undefined;
      case 'ask':
        return void hand.ask(step.card, answersOf(step));
      case 'cancel':
        return void hand.event('request.cancel', { id: step.card, method: 'clarify', reason: 'timeout' });
      case 'settle':
        return void hand.event('request.settled', { id: step.card, method: 'clarify', by: 'response' });
      case 'activate':
        return void hand.channel.call('session.activate', { session_id: 's' }).catch(() => undefined);
      case 'shows': {
        const open = step.open.map((id) => question(id, answersOf(step)));
        return this.#reply(SNAPSHOTS, { result: { session_id: 's', open_requests: open } });
      }
      case 'verdict':
        return this.#reply([ANSWER], VERDICTS[step.says]);
      case 'locked':
        return this.#reply([LOCK], LOCKS[step.says]);
      case 'cut':
        return void hand.cut();
      case 'break':
        hand.isBroken = true;
        return undefined;
      case 'again':
        hand.isBroken = false;
        return void hand.again({ epoch: step.epoch });
      default:
        return this.#act(step);
    }
  }

  /** What whoever holds the card does. */
  #act(step: Extract<CardStep, { do: 'answer' | 'respond' | 'decline' | 'crash' | 'lock' }>): string | undefined {
    const held = this.#held.get(step.card);
    if (held === undefined) return 'nobody holds it';
    switch (step.do) {
      case 'answer':
        return this.#answer(held, step.text);
      case 'respond':
        return held.respond({ answer: step.text });
      case 'decline':
        return held.fail(ELSEWHERE);
      case 'crash':
        return void this.#crashes.get(step.card)?.();
      default:
        this.#hear(`lock of ${step.card} ${step.qid}`, held.lock(step.qid, 'yes'));
        return undefined;
    }
  }

  #answer(held: Question, text: string): undefined {
    this.#hear(`answer of ${held.id}`, held.answer({ answer: text }));
  }

  #hear(what: string, work: Promise<AnswerVerdict | LockVerdict>): void {
    void work.then(
      (verdict) => this.#told.push(`${what} ${verdictWords(verdict)}`),
      (error) => this.#told.push(`${what} threw ${String(error)}`),
    );
  }

  #handle(asked: Question): unknown {
    const { id } = asked;
    this.#held.set(id, asked);
    this.#told.push(`${id} offered`);
    switch (this.#handled) {
      case 'works': {
        const work = new Promise<void>((_, reject) => {
          this.#crashes.set(id, () => reject(new Error('it crashed later')));
        });
        // A channel that passes it over must not end the process of the test.
        work.catch(() => undefined);
        return work;
      }
      case 'answers':
        this.#answer(asked, 'at once');
        break;
      case 'responds':
        asked.respond({ answer: 'at once' });
        break;
      case 'declines':
        asked.fail(ELSEWHERE);
        break;
      case 'passes':
        return false;
      case 'crashes':
        throw new Error('it crashed');
      default:
    }
    return {
      announce: () => void this.#told.push(`${id} announced`),
      rebind: () => void this.#told.push(`${id} bound anew`),
    };
  }

  #reply(methods: readonly string[], reply: JsonObject): string | undefined {
    const owed = this.#owed.find(({ method, line }) => methods.includes(method) && line === this.#hand.lines);
    if (owed === undefined) return NOTHING_OWED;
    this.#owed = this.#owed.filter((one) => one !== owed);
    return void this.#hand.frame({ jsonrpc: '2.0', id: owed.id, ...reply });
  }

  /** What the client said and was not looked at; its calls are owed a reply. */
  #frames(): string[] {
    const said = this.#hand.said.splice(0);
    for (const { method, id } of said)
      if (method !== undefined) this.#owed.push({ method, id, line: this.#hand.lines });
    return said.map(frameWords);
  }
}

/**
 * What happens after the steps: on another line the same server lists both cards as open, and both are answered. What is
 * over is not shown again.
 */
export function afterwards(steps: readonly CardStep[]): readonly CardStep[] {
  const epochs = steps.flatMap((step) => (step.do === 'again' ? [step.epoch] : []));
  return [
    { do: 'again', epoch: epochs.at(-1) ?? FIRST_EPOCH },
    { do: 'activate' },
    { do: 'shows', open: CARDS, locked: false },
    ...CARDS.map((card) => ({ do: 'answer', card, text: 'later' }) as const),
  ];
}

const ELSEWHERE = { code: -32004, message: 'not shown here' };
const VERDICTS = {
  ok: { result: { status: 'ok' } },
  expired: { result: { status: 'expired' } },
  refused: { error: { code: 4002, message: 'no' } },
  unknown: { error: { code: -32601, message: 'unknown method' } },
};
const LOCKS = {
  more: { result: { status: 'ok', remaining: ['z'] } },
  last: { result: { status: 'ok', remaining: [] } },
  expired: { result: { status: 'expired' } },
  refused: { error: { code: 4002, message: 'no' } },
};

const answersOf = ({ locked }: { readonly locked: boolean }): JsonObject => (locked ? { answers: { a: 'yes' } } : {});

/** Answers raced against deadlines, with real sockets and real timers. */

import type { Settlement } from '../../src/requests/api.ts';
import { nodeRuntime } from '../../src/runtime.ts';
import type { Channel } from '../../src/wire/channel.ts';
import type { AnswerVerdict } from '../../src/wire/question-types.ts';
import { type SocketHost, socketHost } from './sockets.ts';
import { randomOf } from './windows.ts';

export interface Raced {
  readonly accepted: number;
  readonly late: number;
  /** In words: an answer that was accepted and is not the settlement, or the other way round, or told twice. */
  readonly faults: readonly string[];
}

/** Milliseconds. Long enough that some answers are in time on a busy machine, short enough that some are not. */
const DEADLINE = 40;
const BATCH = 25;

class Race {
  readonly faults: string[] = [];
  accepted = 0;
  readonly #random: (below: number) => number;
  readonly #told = new Map<string, AnswerVerdict[]>();
  readonly #ends = new Map<string, string[]>();
  #windows = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  /** A window that answers each question after some time. */
  enter(window: Channel): void {
    this.#windows += 1;
    const name = this.#windows;
    window.onRequest('clarify', (question) => {
      const text = String(question.params['question']);
      nodeRuntime.after(this.#random(2 * DEADLINE), () => {
        void question.answer({ answer: `${text} by ${name}` }).then((verdict) => {
          this.#told.set(text, [...(this.#told.get(text) ?? []), verdict]);
        });
      });
      return {
        changed: ({ isOver, why }) => {
          if (isOver) this.#ends.set(text, [...(this.#ends.get(text) ?? []), String(why)]);
        },
      };
    });
  }

  async run(host: SocketHost, texts: readonly string[]): Promise<void> {
    const settled = await Promise.all(
      texts.map((text) => host.requests.send('clarify', 's', { question: text }, { timeoutMs: DEADLINE })),
    );
    const isTold = (text: string): boolean => (this.#told.get(text)?.length ?? 0) >= this.#windows;
    for (let i = 0; i < 400 && !texts.every(isTold); i += 1) {
      await new Promise<void>((resolve) => void nodeRuntime.after(5, resolve));
    }
    for (const [at, text] of texts.entries()) this.#judge(text, settled[at]);
  }

  #judge(text: string, settlement: Settlement | undefined): void {
    const verdicts = this.#told.get(text) ?? [];
    const oks = verdicts.filter(({ status }) => status === 'ok').length;
    const isAnswered = settlement?.kind === 'answered';
    if (isAnswered) this.accepted += 1;
    const say = (fault: string): void => void this.faults.push(`${text}: ${fault}`);
    if (oks !== (isAnswered ? 1 : 0)) say(`${oks} windows were told ok, and it is ${settlement?.kind}`);
    if (verdicts.length !== this.#windows) say(`${verdicts.length} verdicts for ${this.#windows} windows`);
    if (this.#ends.get(text)?.length !== this.#windows) say(`cards ended ${this.#ends.get(text)?.length} times`);
  }
}

export async function raceAnswers(count: number, seed: number): Promise<Raced> {
  const host = await socketHost(['s']);
  const race = new Race(seed);
  for (let i = 0; i < 2; i += 1) race.enter(await host.window());
  const texts = Array.from({ length: count }, (_, at) => `q${at}`);
  while (texts.length > 0) await race.run(host, texts.splice(0, BATCH));
  if (host.requests.openRequestCount() !== 0) race.faults.push('something is still open');
  await host.close();
  return { accepted: race.accepted, late: count - race.accepted, faults: race.faults };
}

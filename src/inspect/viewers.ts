/** Open inspect pages, each a stream of server-sent events. They share one reader of steps; without them there is none. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Cancel, type Logger, nodeRuntime } from '../runtime.ts';
import type { TapReader, TapStep } from '../tap.ts';
import { ruleIds } from './charts.ts';
import { INSPECT_BOUNDS } from './inspect-bounds.ts';
import { statesIn } from './moves.ts';
import type { SeenBurst, SeenStep } from './seen.ts';

export type Tapping = (reader: TapReader) => () => void;

const BIRTH = 'xstate.init';

const seen = (step: TapStep): SeenStep => ({
  ...{ seq: step.seq, at: step.at, machine: step.machine, id: step.id, effects: step.effects, done: step.done },
  event: step.event.type === BIRTH ? 'born' : step.event.type,
  before: step.before === null ? [] : statesIn(step.before),
  after: statesIn(step.after),
  rules: ruleIds(step.machine, step.rules),
});

export class Viewers {
  readonly #tap: Tapping;
  readonly #logger: Logger;
  readonly #open = new Set<ServerResponse>();
  #untap: (() => void) | undefined;
  #steps: TapStep[] = [];
  #missed = 0;
  #writing: Cancel | undefined;
  /** There is room again. */
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(tap: Tapping, logger: Logger) {
    this.#tap = tap;
    this.#logger = logger;
  }

  /** False when there are too many, or when it is closed; then nothing was written. */
  open(req: IncomingMessage, res: ServerResponse): boolean {
    if (this.#isClosed || this.#open.size >= INSPECT_BOUNDS.viewers) return false;
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    this.#open.add(res);
    // Before its first word, so that what happens while the page reads its rows is not lost to it.
    this.#untap ??= this.#tap((step, dropped) => this.#take(step, dropped));
    this.#write(res, `retry: 1000\nevent: ready\ndata: {"now":${nodeRuntime.now()}}\n\n`);
    const stop = this.#signs(res);
    res.on('error', () => res.destroy());
    res.on('close', () => {
      stop();
      this.#open.delete(res);
      if (this.#open.size === 0) this.#rest();
    });
    req.resume();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#rest();
    for (const res of this.#open) res.end();
  }

  /** Nobody looks: nothing is read, and nothing waits. */
  #rest(): void {
    this.#untap?.();
    this.#untap = undefined;
    this.#writing?.();
    this.#writing = undefined;
    this.#steps = [];
    this.#missed = 0;
  }

  #signs(res: ServerResponse): Cancel {
    let stop: Cancel = () => undefined;
    const next = (): void => {
      stop = nodeRuntime.after(
        INSPECT_BOUNDS.ping,
        () => {
          this.#write(res, ': still here\n\n');
          next();
        },
        'quiet',
      );
    };
    next();
    return () => stop();
  }

  #take(step: TapStep, dropped: number): Promise<void> | undefined {
    this.#missed += dropped;
    if (step.ignored) return undefined;
    this.#steps.push(step);
    this.#writing ??= nodeRuntime.after(INSPECT_BOUNDS.gather, () => this.#flush(), 'quiet');
    if (this.#steps.length < INSPECT_BOUNDS.burst) return undefined;
    // Told nothing more until these are written: a step that no page would be sent is not even made.
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #flush(): void {
    const burst: SeenBurst = { steps: this.#steps.map(seen), missed: this.#missed };
    this.#writing = undefined;
    this.#steps = [];
    this.#missed = 0;
    const text = `event: steps\ndata: ${JSON.stringify(burst)}\n\n`;
    for (const res of this.#open) this.#write(res, text);
    this.#wake?.();
    this.#wake = undefined;
  }

  #write(res: ServerResponse, text: string): void {
    if (res.destroyed || res.writableEnded) return;
    if (res.writableLength > INSPECT_BOUNDS.buffered) {
      this.#logger.warn('readback inspect: a page does not read what it is sent; it was dropped');
      res.destroy();
      return;
    }
    res.write(text);
  }
}

/** `readback ask`: puts a question from a shell script, prints the answer, and proves that it was read. */

import type { Outcome, Question } from '../api.ts';
import { SIZES, TIMES } from '../limits.ts';
import { Client, isClosing, isGone } from './client.ts';
import { answering, ensureHost, IDLE_SECONDS } from './ensure.ts';
import { find } from './find.ts';
import { type HostFile, pageLink, stateFolder } from './home.ts';
import { type Global, type Io, json } from './io.ts';
import { bounded, duration, type QuestionFlags, question, utf8 } from './parse.ts';
import { EXIT, Problem, usage } from './problem.ts';
import { progress } from './progress.ts';
import { line, safe, span } from './text.ts';

export interface AskFlags extends Global, QuestionFlags {
  readonly timeout?: string | undefined;
  readonly expires?: string | undefined;
  readonly from?: string | undefined;
  readonly await?: string | undefined;
  readonly open?: boolean | undefined;
}

const EXITS: Readonly<Record<Outcome['outcome'], number>> = {
  answered: EXIT.ok,
  recovered: EXIT.ok,
  declined: EXIT.declined,
  pending: EXIT.pending,
  expired: EXIT.expired,
  undeliverable: EXIT.undeliverable,
  cancelled: EXIT.withdrawn,
  superseded: EXIT.superseded,
  unknown: EXIT.unknown,
};

/** One wait on the wire. Short, so that the id is known early and a host that restarts is joined again. */
const FIRST_SLICE_MS = 1_000;
/** How long a lost host may take to come back before this starts one, in milliseconds. */
const PATIENCE_MS = 15_000;

export async function ask(io: Io, words: string | undefined, flags: AskFlags): Promise<number> {
  const card = flags.await === undefined ? await readCard(io, words, flags) : undefined;
  const limit = flags.timeout === undefined ? undefined : duration('--timeout', flags.timeout);
  const expires = flags.expires === undefined ? undefined : duration('--expires', flags.expires);
  if (flags.from !== undefined) bounded('--from', 'the name', flags.from, SIZES.from);
  const run = new Run(io, stateFolder(flags.home, io.env), limit, flags.json === true);
  if (flags.await !== undefined) {
    if (words !== undefined)
      throw usage('--await', 'waits for an ask that is on file; it takes no question', 'leave one of the two out');
    run.askId = (await find(await run.client(), flags.await)).askId;
  }
  const outcome = await progress(io, 'waiting for an answer', async () => {
    if (flags.open === true) await run.openPage();
    return run.outcome(card, expires, flags.from);
  });
  await tell(io, outcome, flags, run);
  if ('token' in outcome) await acknowledge(io, run, outcome.token);
  return EXITS[outcome.outcome];
}

async function readCard(io: Io, words: string | undefined, flags: AskFlags): Promise<Question> {
  if (words === undefined)
    throw usage('question', 'is missing', 'for example: readback ask "Ship it?" --option yes --option no');
  return question(words === '-' ? utf8('question', await io.stdin()) : words, flags);
}

/** One ask from the first word to its outcome, over as many connections as it takes. */
class Run {
  readonly #io: Io;
  readonly #folder: string;
  readonly #quiet: boolean;
  readonly #deadline: number;
  readonly #signal: AbortSignal;
  #client: Client | undefined;
  #lostAt = 0;
  askId: string | undefined;

  constructor(io: Io, folder: string, limit: number | undefined, quiet: boolean) {
    this.#io = io;
    this.#folder = folder;
    this.#quiet = quiet;
    this.#deadline = limit === undefined ? Number.POSITIVE_INFINITY : io.now() + limit;
    this.#signal = io.interrupted();
  }

  async client(): Promise<Client> {
    this.#client ??= new Client(await this.#host());
    return this.#client;
  }

  /** Whoever ended a host may be about to start the next one; ours would only be in its way. */
  async #host(): Promise<HostFile> {
    const until = this.#lostAt + PATIENCE_MS;
    while (this.#lostAt > 0 && this.#io.now() < until && this.#left() > 0 && !this.#signal.aborted) {
      const host = await answering(this.#folder);
      if (host !== undefined) return host;
      await this.#io.sleep(150, this.#signal);
    }
    const { entry } = this.#io;
    return ensureHost({
      folder: this.#folder,
      entry,
      signal: this.#signal,
      onStarted: (host) => this.#tellStarted(host),
    });
  }

  #tellStarted({ pid }: HostFile): void {
    if (this.#quiet) return;
    const idle = span(IDLE_SECONDS * 1_000);
    this.#io.err(
      `readback: started a host in the background (pid ${pid}); it ends after ${idle} without use, or with: readback stop\n`,
    );
  }

  async #lost(): Promise<void> {
    this.#client = undefined;
    this.#lostAt = this.#io.now();
    await this.#io.sleep(150, this.#signal);
  }

  async outcome(
    card: Question | undefined,
    expiresInMs: number | undefined,
    from: string | undefined,
  ): Promise<Outcome> {
    let last: Outcome | undefined;
    while (last === undefined || (last.outcome === 'pending' && this.#left() > 0)) {
      try {
        const client = await this.client();
        const put = card !== undefined && this.askId === undefined ? card : undefined;
        last =
          put === undefined
            ? await client.awaitAnswer(this.askId ?? '', Math.min(TIMES.hold, this.#left()), this.#signal)
            : await client.ask(
                { question: put, timeoutMs: Math.min(FIRST_SLICE_MS, this.#left()), expiresInMs, from },
                this.#signal,
              );
        this.askId = last.askId;
        if (last.outcome === 'cancelled' && !this.#signal.aborted) last = await this.#after(client, last);
      } catch (error) {
        await this.#again(error);
      }
    }
    return last;
  }

  /** A host that closes cancels its calls, not the questions: an ask that is still open is waited for again. */
  async #after(client: Client, last: Outcome): Promise<Outcome | undefined> {
    const now = await client.show(last.askId).catch(() => undefined);
    if (now !== undefined && now.state !== 'open') return last;
    await this.#lost();
    return undefined;
  }

  /** The host went away. A question that is on file is waited for at the next host; anything else is told. */
  async #again(error: unknown): Promise<void> {
    if (this.#signal.aborted) throw this.#interrupted();
    if (!isGone(error)) throw error;
    // A host that is closing has put nothing; one that broke off may have.
    if (this.askId === undefined && !isClosing(error)) throw lostBeforeId(error as Problem);
    await this.#lost();
  }

  #left(): number {
    return Math.max(0, this.#deadline - this.#io.now());
  }

  #interrupted(): Problem {
    const open = this.askId === undefined ? 'the question may be open' : `the question stays open: ${this.askId}`;
    return new Problem({
      code: 'interrupted',
      message: `interrupted; ${open}`,
      remedy:
        this.askId === undefined
          ? 'see: readback list'
          : `wait with: readback ask --await ${this.askId}; or: readback withdraw ${this.askId} --reason "…"`,
      exit: EXIT.withdrawn,
    });
  }

  /** Opens the page when none is open, and gives it some seconds to say so. */
  async openPage(): Promise<void> {
    const client = await this.client();
    if ((await client.health()).pages > 0) return;
    const { openBrowser } = await import('./browser.ts');
    if (!openBrowser(pageLink(client.host), this.#io.env, this.#folder)) return;
    for (let i = 0; i < 100 && !this.#signal.aborted && (await client.health()).pages === 0; i += 1) {
      await this.#io.sleep(100, this.#signal);
    }
  }

  link(): string | undefined {
    return this.#client === undefined ? undefined : pageLink(this.#client.host);
  }
}

function lostBeforeId(error: Problem): Problem {
  return new Problem({
    code: error.code,
    message: `${error.message}; whether the question was put is not known`,
    remedy: 'look with: readback list; ask again if it is not there',
    exit: error.exit,
    cause: error,
  });
}

/** The answer on stdout, nothing else; what happened on stderr. */
async function tell(io: Io, outcome: Outcome, flags: AskFlags, run: Run): Promise<void> {
  if (flags.json === true) await json(io, outcome);
  else if (outcome.outcome === 'answered' || outcome.outcome === 'recovered') {
    const parts = [
      ...(outcome.reply.selected ?? []),
      ...(outcome.reply.text === undefined ? [] : [outcome.reply.text]),
    ];
    const text = `${parts.join('\n')}\n`;
    // A script gets every character; a terminal gets none that could drive it.
    await io.out(io.outTTY ? safe(text) : text);
  }
  const notice = noticeOf(outcome, run);
  if (notice !== undefined && flags.json !== true) io.err(`readback: ${notice}\n`);
}

function noticeOf(outcome: Outcome, run: Run): string | undefined {
  const lost = outcome.dropped === undefined ? '' : ` (${outcome.dropped.count} earlier answers were lost)`;
  switch (outcome.outcome) {
    case 'answered':
    case 'recovered':
      if (outcome.possibleRepeat) return `this answer may have been printed before${lost}`;
      return lost === '' ? undefined : lost.trim();
    case 'declined':
      return `the person saw the question and declined to answer${lost}`;
    case 'pending':
      return `still open: ${outcome.askId}\n  wait with: readback ask --await ${outcome.askId}${lost}`;
    case 'undeliverable': {
      const link = run.link();
      const how = link === undefined ? '' : `\n  open the page, then ask again: ${link}`;
      return `${line(outcome.reason)}${how}`;
    }
    default:
      return `${outcome.outcome}: ${line(outcome.reason)}${lost}`;
  }
}

/** After the answer has left the process, never before: an unprinted answer was not read. */
async function acknowledge(io: Io, run: Run, token: string): Promise<void> {
  try {
    const [ack] = await (await run.client()).ack([token]);
    if (ack?.accepted !== false) return;
    io.err('readback: the receipt came too late to count; the answer may be offered again\n');
  } catch (error) {
    io.err(`readback: the answer was printed, but its receipt could not be sent (${(error as Error).message})\n`);
  }
}

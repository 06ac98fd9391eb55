import type { Asking, Outcome, Reply } from '../api.ts';
import { type HandBacks, OwedHandBacks } from '../hand-backs.ts';
import type { Logger } from '../runtime.ts';
import { MCP_BOUNDS } from './bounds.ts';
import type { Call } from './gate.ts';
import type { Ride } from './wording.ts';
import { reasonOf } from './wording.ts';

interface Waiting {
  readonly token: string;
  readonly askId: string;
  readonly question: string | null;
  readonly text: string;
  readonly reply: Reply;
  readonly answeredAt: number;
  readonly possibleRepeat: boolean;
  readonly handedTo: readonly string[];
}

/** What a conversation remembers of its unacknowledged answers; outlives a reconnect of its session. */
export class RideMemory {
  /** How often an answer was written to the client. */
  readonly shown = new Map<string, number>();
  /** Answers of other conversations that were fetched here by their ask id. */
  readonly fetched = new Map<string, Waiting>();
  readonly parked = new Set<string>();
  /** Answers that the agent has proven to have read here. */
  readonly proven = new Set<string>();
  /** Parked answers of which the agent has not been told. */
  readonly notices = new Map<string, string | null>();
  /** Hand-backs that are not on file yet. */
  readonly handBacks = new OwedHandBacks();
}

export interface Collected {
  readonly rides: readonly Ride[];
  readonly parked: readonly { readonly token: string; readonly question: string | null }[];
}

/** Puts answers without a receipt on the results of one session, each at most four times. */
export class Rides {
  readonly #asking: Asking;
  readonly #tab: string;
  readonly #carrier: string;
  readonly #log: Logger;
  readonly #memory: RideMemory;
  readonly #handBacks: HandBacks;
  /** Results on their way out, counted for each token on them; a further result must not carry it too. */
  readonly #moving = new Map<string, number>();

  /** `handBacks` works on `memory.handBacks`. */
  constructor(asking: Asking, tab: string, memory: RideMemory, handBacks: HandBacks, log: Logger) {
    this.#asking = asking;
    this.#tab = tab;
    this.#carrier = tab;
    this.#memory = memory;
    this.#handBacks = handBacks;
    this.#log = log;
  }

  /** The carrier of what is handed over in this moment for a call; null once nobody reads its result (H-14). */
  attach(call: Call, token: string): string | null {
    if (call.loss !== undefined) return null;
    this.#handBacks.hold(token, this.#carrier);
    return this.#carrier;
  }

  /** What became of a hand-over that `attach` gave a carrier for; what was owed before it is owed on if it came to nothing. */
  attached(token: string, isGiven: boolean): void {
    if (isGiven) this.#handBacks.carried(token, this.#carrier);
    else this.#handBacks.notCarried(token, this.#carrier);
  }

  /** True when this token was in front of this agent before. */
  seen(token: string): boolean {
    return (this.#memory.shown.get(token) ?? 0) > 0;
  }

  /** The same, or another call is carrying it right now: whichever result is read first, one of the two says so. */
  mayRepeat(token: string): boolean {
    return this.seen(token) || (this.#moving.get(token) ?? 0) > 1;
  }

  /** True when this agent has proven to have read this token. */
  proven(token: string): boolean {
    return this.#memory.proven.has(token);
  }

  /** An answer handed over by the coordinator goes into the result of this call. */
  carry(call: Call, outcome: Extract<Outcome, { token: string }>): void {
    this.#load(call, outcome.token);
    const askId = ('fromAskId' in outcome ? outcome.fromAskId : undefined) ?? outcome.askId;
    const reply: Reply = outcome.outcome === 'declined' ? { declined: true } : outcome.reply;
    const { token, question, text, answeredAt } = outcome;
    this.#memory.fetched.set(token, {
      token,
      askId,
      question,
      text,
      reply,
      answeredAt,
      possibleRepeat: true,
      handedTo: [],
    });
  }

  /** The result of this call tells of losses; without a receipt they are owed again. */
  carryLosses(call: Call, token: string): void {
    this.#load(call, token);
  }

  /** Answers without a receipt, each handed over (committed) for the result of this call. */
  async collect(call: Call, held: ReadonlySet<string>): Promise<Collected> {
    const rides: Ride[] = [];
    try {
      for (const waiting of await this.#waiting()) {
        if (call.loss !== undefined) break;
        if (this.#settled(waiting.token) || held.has(waiting.askId)) continue;
        if ((this.#memory.shown.get(waiting.token) ?? 0) > MCP_BOUNDS.repeats) await this.#park(waiting);
        else if (await this.#handOver(call, waiting)) rides.push(this.#ride(waiting));
      }
    } catch (error) {
      // The result of the call itself is worth more than what would have ridden on it.
      this.#log.warn(`readback mcp: answers of ${this.#tab} could not ride: ${reasonOf(error)}`);
    }
    call.notices.push(...this.#memory.notices.keys());
    return { rides, parked: [...this.#memory.notices].map(([token, question]) => ({ token, question })) };
  }

  /** The result of a call reached the transport. */
  written(call: Call): void {
    for (const token of call.tokens) {
      this.#move(token, -1);
      this.#memory.shown.set(token, (this.#memory.shown.get(token) ?? 0) + 1);
    }
    for (const token of call.notices) this.#memory.notices.delete(token);
  }

  /** Nobody reads the result of a call: what it carried is in nobody's hands because of it. */
  async lost(call: Call): Promise<void> {
    for (const token of call.tokens.splice(0)) {
      if (call.written) await this.unread(token);
      else await this.#unload(token);
    }
  }

  /** A result with this token was written, and yet nobody has read it. */
  async unread(token: string): Promise<void> {
    const shown = this.#memory.shown.get(token) ?? 0;
    if (shown > 1) this.#memory.shown.set(token, shown - 1);
    else this.#memory.shown.delete(token);
    this.#move(token, 1);
    await this.#unload(token);
  }

  /** The agent proved that it read these. */
  acknowledged(tokens: readonly string[]): void {
    for (const token of tokens) {
      this.#memory.shown.delete(token);
      this.#memory.fetched.delete(token);
      this.#memory.notices.delete(token);
      this.#memory.proven.add(token);
    }
  }

  /** The session ends: what was shown without a receipt is nobody's any more. */
  async end(): Promise<void> {
    for (const token of this.#memory.shown.keys())
      if (!this.#memory.parked.has(token) || this.#memory.fetched.has(token))
        await this.#handBacks.give(token, this.#carrier);
  }

  #load(call: Call, token: string): void {
    this.#move(token, 1);
    call.tokens.push(token);
  }

  /** Takes a token off a result that nobody reads; it stays handed over if another result holds or held it. */
  async #unload(token: string): Promise<void> {
    // Until the hand-back is on file the token counts as moving: a hand-over in between would be undone by it.
    if (this.#moving.get(token) === 1 && !this.seen(token)) await this.#handBacks.give(token, this.#carrier);
    this.#move(token, -1);
  }

  #move(token: string, by: number): void {
    const count = (this.#moving.get(token) ?? 0) + by;
    if (count > 0) this.#moving.set(token, count);
    else this.#moving.delete(token);
  }

  /** True when no result has to carry this token now. */
  #settled(token: string): boolean {
    return this.#moving.has(token) || this.#memory.parked.has(token) || this.#memory.proven.has(token);
  }

  async #waiting(): Promise<Waiting[]> {
    const own = await this.#asking.unread(this.#tab);
    const known = new Set(own.map((each) => each.token));
    for (const token of known) {
      this.#memory.fetched.delete(token);
      // Unread although it was proven to be read: it is owed once more, since the agent no longer has it.
      if (this.#memory.proven.delete(token)) this.#memory.shown.delete(token);
    }
    const foreign: Waiting[] = [];
    for (const each of this.#memory.fetched.values()) {
      const ask = await this.#asking.show(each.askId);
      const answer = ask?.answers.find((one) => one.token === each.token);
      // An answer of this very tab that is no longer listed as unread was settled elsewhere.
      if (
        ask === undefined ||
        ask.tab === this.#tab ||
        answer?.receipt === 'read_back' ||
        answer?.receipt === 'retired'
      ) {
        this.#memory.fetched.delete(each.token);
      } else foreign.push(each);
    }
    return [...own, ...foreign];
  }

  async #handOver(call: Call, waiting: Waiting): Promise<boolean> {
    this.#move(waiting.token, 1);
    let shown = false;
    let carrier: string | null = null;
    const attach = (_tab: string, token: string): string | null => {
      carrier = this.attach(call, token);
      return carrier;
    };
    try {
      shown = await this.#asking.handOver(waiting.token, attach, waiting.askId);
    } finally {
      if (carrier !== null) this.attached(waiting.token, shown);
      if (shown) call.tokens.push(waiting.token);
      else this.#move(waiting.token, -1);
    }
    return shown;
  }

  async #park(waiting: Waiting): Promise<void> {
    const times = MCP_BOUNDS.repeats + 1;
    const why = `It was given to the agent ${times} times without a receipt. It stays on file.`;
    // Its own conversation may still read an answer that was only fetched here.
    if (!this.#memory.fetched.has(waiting.token)) await this.#asking.park(waiting.token, why);
    // Only now: what is not on file as parked is tried again with the next result.
    this.#memory.parked.add(waiting.token);
    this.#memory.notices.set(waiting.token, waiting.question);
  }

  #ride(waiting: Waiting): Ride {
    const seen = this.mayRepeat(waiting.token) || waiting.possibleRepeat;
    const { token, askId, question, text, reply, answeredAt } = waiting;
    return {
      token,
      askId,
      question,
      text,
      reply,
      answeredAt,
      late: !seen && waiting.handedTo.length === 0,
      possibleRepeat: seen,
    };
  }
}

/** Everything that the page shows: the rows, what happened to them before its eyes, and the one that is looked at. */
import type { ChartRow } from '../../api.ts';
import type { SeenBurst, SeenChart, SeenStep } from '../seen.ts';
import type { Story } from '../told.ts';
import { listen, readCharts, readRows, readStory } from './wire.ts';

/** Steps that are remembered of one row, for rows whose history is in no file. */
const TRAIL = 1_000;
/** Rows of which steps are remembered; the oldest goes first. */
const TRAILS = 500;
/** Milliseconds in which several reasons to read anew become one. */
const SOON = 25;
/** Milliseconds between two readings of all rows: in a burst the steps themselves say where rows stand. */
const CALM = 500;
/** Charts whose rows nobody looks for: there is one, or they are of the page's own making. */
const UNLISTED = new Set(['coordinator', 'retirement']);

export interface Choice {
  readonly machine: string;
  readonly id: string;
}

/** What is looked at stands behind the hash, so that reload, back and a link work as everywhere. */
export const hashOf = ({ machine, id }: Choice): string => `#${machine}/${encodeURIComponent(id)}`;

export const keyOf = ({ machine, id }: Choice): string => `${machine}/${id}`;

export class Model {
  charts: readonly SeenChart[] = [];
  readonly rows = new Map<string, ChartRow>();
  /** What a search found; undefined: nothing is searched for. */
  found: readonly ChartRow[] | undefined;
  search = '';
  /** The host has not yet said what is on file. */
  isLoading = true;
  link: 'connecting' | 'open' | 'lost' = 'connecting';
  choice: Choice | undefined;
  story: Story | undefined;
  /** Where the scrubber stands: how many steps have happened. */
  at = 0;
  problem: string | undefined;
  /** The latest thing to be said to a person who does not look. */
  live = '';
  latest: SeenStep | undefined;
  readonly #trails = new Map<string, SeenStep[]>();
  readonly #changed: () => void;
  #isRowsDue = false;
  #nextRows = 0;
  #isStoryDue = false;
  #isReading = false;
  #chartsRead: Promise<void> | undefined;
  /** The story is to be read once more. */
  #isStale = false;
  #asked = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  async start(): Promise<void> {
    this.#chartsRead = this.#try(async () => {
      this.charts = (await readCharts()) ?? [];
      this.#changed();
    });
    await this.#chartsRead;
    listen({
      ready: () => {
        this.link = 'open';
        this.#changed();
        this.#rowsSoon();
        this.#storySoon();
      },
      burst: (burst) => this.#take(burst),
      lost: () => {
        this.link = 'lost';
        this.#changed();
      },
    });
  }

  chart(machine: string): SeenChart | undefined {
    return this.charts.find((one) => one.machine === machine);
  }

  /** The rows that are found; without a search, all. */
  listed(): ChartRow[] {
    return (this.found ?? [...this.rows.values()]).filter(({ machine }) => !UNLISTED.has(machine));
  }

  /** How many rows stand in each state of a chart. */
  counts(machine: string): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const row of this.rows.values()) {
      if (row.machine === machine) for (const state of row.states) counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    return counts;
  }

  choose(choice: Choice | undefined): void {
    if (choice !== undefined && this.choice !== undefined && keyOf(choice) === keyOf(this.choice)) return;
    this.choice = choice;
    this.story = undefined;
    this.problem = undefined;
    this.at = 0;
    this.#changed();
    if (choice !== undefined) void this.#readStory();
  }

  scrub(at: number): void {
    this.at = Math.max(0, Math.min(at, this.story?.steps.length ?? 0));
    this.#changed();
  }

  async find(search: string): Promise<void> {
    this.search = search;
    const asked = ++this.#asked;
    if (search === '') this.found = undefined;
    else {
      await this.#try(async () => {
        const reply = await readRows(search);
        // What was typed since then is asked for already.
        if (asked !== this.#asked) return;
        this.found = reply?.rows ?? [];
        this.live = `${this.found.length} found.`;
      });
    }
    this.#changed();
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.#changed();
    }
  }

  #take({ steps, missed }: SeenBurst): void {
    for (const step of steps) this.#step(step);
    if (missed > 0) {
      this.#rowsSoon();
      this.#storySoon();
    }
    this.#changed();
  }

  #step(step: SeenStep): void {
    const key = keyOf(step);
    this.latest = step;
    const known = this.rows.get(key);
    // What the files hold of it besides its state comes with the next list.
    if (known === undefined) this.#rowsSoon();
    // One that has ended stays where it ended, until the list is read anew.
    this.rows.set(key, { ...(known ?? { machine: step.machine, id: step.id, at: step.at }), states: step.after });
    const trail = this.#trails.get(key) ?? [];
    trail.push(step);
    if (trail.length > TRAIL) trail.shift();
    this.#trails.delete(key);
    this.#trails.set(key, trail);
    const [oldest] = this.#trails.keys();
    if (this.#trails.size > TRAILS && oldest !== undefined) this.#trails.delete(oldest);
    if (this.choice === undefined || keyOf(this.choice) !== key) return;
    this.live = `${step.event}: now ${step.after.join(', ')}`;
    this.#storySoon();
  }

  #rowsSoon(): void {
    if (this.#isRowsDue) return;
    this.#isRowsDue = true;
    setTimeout(
      () => {
        this.#isRowsDue = false;
        this.#nextRows = performance.now() + CALM;
        void this.#try(() => this.#readRows());
      },
      Math.max(SOON, this.#nextRows - performance.now()),
    );
  }

  async #readRows(): Promise<void> {
    const reply = await readRows();
    if (reply === undefined) return;
    this.isLoading = false;
    const listed = new Map(reply.rows.map((row) => [keyOf(row), row]));
    // What no file holds, as a call of a tool, is known from its steps alone.
    for (const [key, row] of this.rows) if (this.#trails.has(key) && !listed.has(key)) listed.set(key, row);
    this.rows.clear();
    for (const [key, row] of listed) this.rows.set(key, row);
    this.#changed();
  }

  #storySoon(): void {
    if (this.choice === undefined || this.#isStoryDue) return;
    this.#isStoryDue = true;
    setTimeout(() => {
      this.#isStoryDue = false;
      void this.#readStory();
    }, SOON);
  }

  /** One reading at a time: what asks for another while a long one is under way would only hold that up. */
  async #readStory(): Promise<void> {
    const { choice } = this;
    if (choice === undefined) return;
    this.#isStale = this.#isReading;
    if (this.#isStale) return;
    this.#isReading = true;
    await this.#try(() => this.#takeStory(choice));
    this.#isReading = false;
    if (!this.#isStale) return;
    if (this.choice === choice) this.#storySoon();
    else void this.#readStory();
  }

  async #takeStory(choice: Choice): Promise<void> {
    const told = await readStory(choice.machine, choice.id);
    // A long history is laid out once, with what stands above it.
    await this.#chartsRead;
    const story = told ?? this.#seenStory(choice, undefined);
    if (this.choice !== choice) return;
    if (story === undefined)
      throw new Error(`Nothing is known of ${choice.machine} ${choice.id}: not on file, not in the audit.`);
    const wasAtEnd = this.story === undefined || this.at >= this.story.steps.length;
    this.story = story.steps.length > 0 ? story : this.#seenStory(choice, story);
    if (wasAtEnd) this.at = this.story.steps.length;
    this.#changed();
  }

  /** Of what no audit tells: what happened since this page is open. */
  #seenStory(choice: Choice, told: Story): Story;
  #seenStory(choice: Choice, told: Story | undefined): Story | undefined;
  #seenStory(choice: Choice, told: Story | undefined): Story | undefined {
    const trail = this.#trails.get(keyOf(choice));
    if (trail === undefined) return told;
    const arrows = this.chart(choice.machine)?.arrows ?? [];
    return {
      ...choice,
      tab: this.rows.get(keyOf(choice))?.tab,
      askId: told?.askId,
      messages: told?.messages ?? [],
      now: this.rows.get(keyOf(choice))?.states,
      isWhole: true,
      isSeenOnly: true,
      why: told?.why ?? {
        text: 'No audit is kept of this chart: what follows was seen since this page was opened.',
        rules: [],
      },
      steps: trail.map(({ at, event, before, after, rules }) => ({
        ...{ row: 0, at, event, before, after },
        taken: arrows.filter(
          (arrow) =>
            arrow.event === event &&
            (arrow.from === '' || before.some((state) => state === arrow.from || state.startsWith(`${arrow.from}.`))) &&
            arrow.rules.every((rule) => rules.includes(rule)),
        ),
      })),
    };
  }
}

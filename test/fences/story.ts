/** One answer that follows its branch: pushed, rewound, taken up again, read, and rewound past its delivery. */
import type { Coordinator } from '../../src/coordinator.ts';
import { HandLog } from './log.ts';

export const TAB = 'session-1';

export interface Push {
  readonly token: string;
  readonly isRepeat: boolean;
  /** Whether the branch that asked was the present one. */
  readonly isOn: boolean;
}

/** A host with one conversation, whose queue is read by nobody until it says so. */
export class Story {
  readonly log = new HandLog();
  readonly pushes: Push[] = [];
  /** Tokens of the copies that are in the queue of the agent, unread. */
  readonly queue = new Set<string>();
  c: Coordinator | undefined;
  id = '';
  told: (push: Push) => void = () => undefined;

  constructor() {
    for (const id of ['a', 'b', 'q', 'd']) this.log.add(id);
    this.log.at = 'b';
  }

  /** What a coordinator is opened with; it calls back into the one that is in place then. */
  readonly options = {
    conversationLog: (tab: string) => (tab === TAB ? this.log.log : undefined),
    flusher: () => void this.push().catch(() => undefined),
    revoker: (_tab: string, token: string) => this.queue.delete(token),
  };

  get isOn(): boolean {
    return this.log.at !== 'b';
  }

  get here(): Coordinator {
    if (this.c === undefined) throw new Error('no coordinator is open');
    return this.c;
  }

  push(): Promise<unknown> {
    if (this.c === undefined) return Promise.resolve();
    return this.c.journal.deliverPending(TAB, (payload, token) => {
      const isRepeat = payload.possible_repeat === true || payload.replayed === true;
      const push = { token, isRepeat, isOn: this.isOn };
      this.pushes.push(push);
      this.told(push);
      this.queue.add(token);
      return { carrier: `turn-${this.pushes.length}` };
    });
  }

  async move(at: string): Promise<void> {
    this.log.at = at;
    await this.here.leafChanged(TAB);
  }
}

/** Step by step. Each may be taken again when it was refused, or when the process has ended within it. */
export const STEPS: readonly ((story: Story) => Promise<unknown>)[] = [
  async (story) => {
    story.id = (await story.here.ask({ question: 'Which colour?' }, { tab: TAB, timeoutMs: 0 })).askId;
  },
  (story) => {
    story.log.at = 'q';
    return story.here.questionLogged(story.id, 'q');
  },
  (story) => story.here.answer(story.id, { text: 'green' }, { surface: 'page' }),
  (story) => story.push(),
  (story) => story.move('b'),
  (story) => story.move('q'),
  (story) => story.push(),
  async (story) => {
    story.queue.clear();
    const token = story.pushes.at(-1)?.token ?? '';
    await story.here.ack([token], `turn-${story.pushes.length}`);
    story.log.at = 'd';
    await story.here.answerLogged(token, 'd');
    await story.here.leafChanged(TAB);
  },
  (story) => story.move('q'),
];

/** The step after which the answer is on another branch, and no copy of it may be left there. */
export const OFF = 4;

/** What the person has entered on one card and not sent. */
export interface Draft {
  readonly selected: readonly string[];
  readonly text: string;
}

export const EMPTY: Draft = { selected: [], text: '' };

const PREFIX = 'readback.draft.';
/** Milliseconds between the last key and the write. */
const DELAY = 150;
/** Milliseconds after which a draft whose card was never seen again is thrown away: thirty days. */
const KEEP = 30 * 86_400_000;

/** Drafts by ask id, kept in this browser across a reload. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();
  readonly #unsaved = new Set<string>();
  readonly #tooLarge = new Set<string>();
  #timer: number | undefined;

  get(askId: string): Draft {
    const held = this.#drafts.get(askId) ?? load(askId);
    this.#drafts.set(askId, held);
    return held;
  }

  set(askId: string, draft: Draft): void {
    this.#drafts.set(askId, draft);
    this.#unsaved.add(askId);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), DELAY);
  }

  /** Writes what was not written yet; the page calls it before it goes. */
  flush(): void {
    for (const askId of this.#unsaved) {
      const kept = store(askId, this.#drafts.get(askId) ?? EMPTY);
      if (kept) this.#tooLarge.delete(askId);
      else this.#tooLarge.add(askId);
    }
    this.#unsaved.clear();
  }

  /** True when this browser would not keep the draft across a reload. */
  fleeting(askId: string): boolean {
    return this.#tooLarge.has(askId);
  }

  remove(askId: string): void {
    this.#drafts.set(askId, EMPTY);
    this.#unsaved.delete(askId);
    this.#tooLarge.delete(askId);
    try {
      localStorage.removeItem(PREFIX + askId);
    } catch {
      // A browser that keeps nothing has nothing to remove.
      return;
    }
  }

  /** Throws away drafts too old to be wanted, of cards that are not on this page. */
  prune(known: (askId: string) => boolean, now: number): void {
    try {
      for (const key of Object.keys(localStorage)) {
        const askId = key.slice(PREFIX.length);
        if (key.startsWith(PREFIX) && !known(askId) && now - savedAt(key) > KEEP) localStorage.removeItem(key);
      }
    } catch {
      return;
    }
  }
}

export function isEmpty(draft: Draft): boolean {
  return draft.selected.length === 0 && draft.text === '';
}

function load(askId: string): Draft {
  try {
    const value = read(PREFIX + askId);
    const selected = Array.isArray(value.selected) ? value.selected.filter((one) => typeof one === 'string') : [];
    return { selected, text: typeof value.text === 'string' ? value.text : '' };
  } catch {
    return EMPTY;
  }
}

function store(askId: string, draft: Draft): boolean {
  try {
    if (isEmpty(draft)) localStorage.removeItem(PREFIX + askId);
    else localStorage.setItem(PREFIX + askId, JSON.stringify({ ...draft, savedAt: Date.now() }));
    return true;
  } catch {
    return isEmpty(draft);
  }
}

function savedAt(key: string): number {
  try {
    const { savedAt: at } = read(key);
    return typeof at === 'number' ? at : 0;
  } catch {
    return 0;
  }
}

function read(key: string): { selected?: unknown; text?: unknown; savedAt?: unknown } {
  return JSON.parse(localStorage.getItem(key) ?? '{}');
}

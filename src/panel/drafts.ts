/** What the person has entered on one card and not sent. */
export interface Draft {
  readonly selected: readonly string[];
  readonly text: string;
  /** To be sent as "skipped". */
  readonly skipped?: boolean | undefined;
}

export const EMPTY: Draft = { selected: [], text: '' };

const PREFIX = 'readback.draft.';
/** Milliseconds between the last key and the write. */
const DELAY = 150;
/** Milliseconds after which a draft whose card was never seen again is thrown away: thirty days. */
const KEEP = 30 * 86_400_000;

/** Drafts by question, kept in this browser across a reload. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();
  readonly #unsaved = new Set<string>();
  readonly #tooLarge = new Set<string>();
  #timer: number | undefined;

  get(key: string): Draft {
    const held = this.#drafts.get(key) ?? load(key);
    this.#drafts.set(key, held);
    return held;
  }

  set(key: string, draft: Draft): void {
    this.#drafts.set(key, draft);
    this.#unsaved.add(key);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), DELAY);
  }

  /** Writes what was not written yet; the page calls it before it goes. */
  flush(): void {
    for (const key of this.#unsaved) {
      const kept = store(key, this.#drafts.get(key) ?? EMPTY);
      if (kept) this.#tooLarge.delete(key);
      else this.#tooLarge.add(key);
    }
    this.#unsaved.clear();
  }

  /** True when this browser would not keep the draft across a reload. */
  fleeting(key: string): boolean {
    return this.#tooLarge.has(key);
  }

  remove(key: string): void {
    this.#drafts.set(key, EMPTY);
    this.#unsaved.delete(key);
    this.#tooLarge.delete(key);
    try {
      localStorage.removeItem(PREFIX + key);
    } catch {
      // A browser that keeps nothing has nothing to remove.
      return;
    }
  }

  /** Throws away drafts too old to be wanted, of cards that are not on this page. */
  prune(known: (key: string) => boolean, now: number): void {
    try {
      for (const name of Object.keys(localStorage)) {
        if (!name.startsWith(PREFIX) || known(name.slice(PREFIX.length))) continue;
        if (now - savedAt(name) > KEEP) localStorage.removeItem(name);
      }
    } catch {
      return;
    }
  }
}

export function isEmpty(draft: Draft): boolean {
  return draft.selected.length === 0 && draft.text === '' && draft.skipped !== true;
}

function load(key: string): Draft {
  try {
    const value = read(PREFIX + key);
    const selected = Array.isArray(value.selected) ? value.selected.filter((one) => typeof one === 'string') : [];
    const text = typeof value.text === 'string' ? value.text : '';
    return value.skipped === true ? { selected, text, skipped: true } : { selected, text };
  } catch {
    return EMPTY;
  }
}

function store(key: string, draft: Draft): boolean {
  try {
    if (isEmpty(draft)) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify({ ...draft, savedAt: Date.now() }));
    return true;
  } catch {
    return isEmpty(draft);
  }
}

function savedAt(name: string): number {
  try {
    const { savedAt: at } = read(name);
    return typeof at === 'number' ? at : 0;
  } catch {
    return 0;
  }
}

function read(name: string): { selected?: unknown; text?: unknown; skipped?: unknown; savedAt?: unknown } {
  return JSON.parse(localStorage.getItem(name) ?? '{}');
}

/** What draws the eye from elsewhere: the title, the icon, and notifications where they are allowed. */
export class Attention {
  readonly #token: string;
  readonly #icon: HTMLLinkElement | null;
  readonly #shown = new Map<string, Notification>();
  #waiting = -1;

  constructor(token: string) {
    this.#token = token;
    this.#icon = document.querySelector('link[rel="icon"]');
  }

  /** True while asking for permission makes sense; it is asked for by a button only, never on load. */
  get mayAskPermission(): boolean {
    return 'Notification' in window && Notification.permission === 'default';
  }

  async askPermission(): Promise<void> {
    await Notification.requestPermission();
  }

  /** Shows how many cards wait. */
  waiting(count: number): void {
    if (count === this.#waiting) return;
    this.#waiting = count;
    document.title = count === 0 ? 'readback' : `(${count}) readback`;
    const file = count === 0 ? 'icon.svg' : 'icon-dot.svg';
    if (this.#icon !== null) this.#icon.href = `${file}?token=${this.#token}`;
  }

  /** Notifies of a new card, unless the person is looking at the page already. */
  announce(key: string, title: string, body: string): void {
    if (!('Notification' in window) || Notification.permission !== 'granted' || document.hasFocus()) return;
    const note = notification(key, title, body);
    if (note === undefined) return;
    note.addEventListener('click', () => {
      window.focus();
      note.close();
      document.getElementById(`card-${key}`)?.focus();
    });
    this.#shown.set(key, note);
  }

  /** Takes the notification of a card away that no longer waits. */
  settle(key: string): void {
    this.#shown.get(key)?.close();
    this.#shown.delete(key);
  }
}

/** Some browsers have the constructor and refuse it outside a service worker; the title and icon must do there. */
function notification(tag: string, title: string, body: string): Notification | undefined {
  try {
    return new Notification(title, { body: body.slice(0, 200), tag });
  } catch {
    return undefined;
  }
}

import type { Desk } from './desk.ts';

/**
 * The keyboard: 1 to 9 choose on the card at hand when no text field is focused, Ctrl or Cmd with Enter sends the card
 * that holds the focus. The card at hand is the one with the focus, otherwise the first open one.
 */
export function onKey(event: KeyboardEvent, desk: Desk): void {
  if (event.isComposing || event.altKey) return;
  const focused = document.activeElement;
  const card = focused?.closest<HTMLElement>('.card.open') ?? undefined;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    if (card?.dataset['ask'] === undefined) return;
    event.preventDefault();
    desk.submit(card.dataset['ask']);
    return;
  }
  if (event.ctrlKey || event.metaKey || !/^[1-9]$/.test(event.key) || isText(focused)) return;
  const target = card ?? document.querySelector<HTMLElement>('.card.open');
  const input = target?.querySelector<HTMLInputElement>(`input[data-number="${event.key}"]`);
  if (input === null || input === undefined) return;
  event.preventDefault();
  input.focus();
  input.click();
}

function isText(element: Element | null): boolean {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.type === 'text');
}

/**
 * Keeps the focus on its card. A field that is disabled while its answer is sent, and a card that closes, take the focus
 * away with them, at once or at the next frame; whoever works by keyboard would start again at the top.
 */
export class FocusKeeper {
  #card: string | undefined;

  constructor() {
    document.addEventListener('focusin', (event) => {
      this.#card = cardOf(event.target);
    });
    document.addEventListener('pointerdown', (event) => {
      // A click beside the cards means to leave them.
      if (cardOf(event.target) === undefined) this.#card = undefined;
    });
  }

  /** After each drawing: brings a lost focus back to its card. */
  keep(): void {
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (lost && this.#card !== undefined) document.getElementById(this.#card)?.focus({ preventScroll: true });
  }
}

function cardOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest('.card')?.id : undefined;
}

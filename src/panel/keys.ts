import type { Desk } from './desk.ts';

/**
 * The keyboard: 1 to 9 choose on the card at hand when no text field is focused, Ctrl or Cmd with Enter sends the
 * question that holds the focus. The card at hand is the one with the focus, otherwise the first open one; of several
 * questions on it the one with the focus, otherwise the first open one. No key decides about a command.
 */
export function onKey(event: KeyboardEvent, desk: Desk): void {
  if (event.isComposing || event.altKey) return;
  const focused = document.activeElement;
  const card = focused?.closest<HTMLElement>('.card.open') ?? undefined;
  const held = focused?.closest<HTMLElement>(PROMPT) ?? undefined;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter' && hasCommand) {
    if (card === undefined) return;
    event.preventDefault();
    send(card, held, desk);
    return;
  }
  if (hasCommand || !/^[1-9]$/.test(event.key) || isText(focused)) return;
  const target = held ?? promptIn(card ?? document.querySelector<HTMLElement>('.card.open'));
  const input = target?.querySelector<HTMLInputElement>(`input[data-number="${event.key}"]`);
  if (input === null || input === undefined) return;
  event.preventDefault();
  input.focus();
  input.click();
}

/** Of several questions the one at hand is sent; what else stands on the card is not at hand. */
function send(card: HTMLElement, held: HTMLElement | undefined, desk: Desk): void {
  const isPart = card.querySelector('.part') !== null;
  const key = held?.dataset['prompt'];
  if (isPart && key !== undefined) desk.submit(key);
  else if (!isPart && promptIn(card) !== undefined) card.querySelector<HTMLElement>('button.primary')?.click();
}

const PROMPT = '[data-prompt]';

function promptIn(card: HTMLElement | null | undefined): HTMLElement | undefined {
  if (card?.matches(PROMPT) === true) return card;
  return card?.querySelector<HTMLElement>(PROMPT) ?? undefined;
}

/** A field whose text a key belongs to. */
function isText(element: Element | null): boolean {
  if (element instanceof HTMLInputElement) return element.type !== 'radio' && element.type !== 'checkbox';
  return element instanceof HTMLTextAreaElement;
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

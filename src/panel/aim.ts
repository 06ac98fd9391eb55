/** Milliseconds that a control must have been under a pointer which rests, before a press on it counts. */
const SETTLED = 500;
const CONTROLS = 'button, label';

const controlAt = ({ target }: Event): Element | null => (target instanceof Element ? target.closest(CONTROLS) : null);

/**
 * Swallows a press that nobody aimed: a card closes elsewhere, those below it move up, and another button lies under
 * the pointer at the moment at which it is pressed. What the mouse was moved onto counts at once; touch and keys always.
 */
export class Aim {
  readonly #missed: () => void;
  /** What the pointer was on when it last moved by hand; undefined: not known. */
  #aimed: Element | null | undefined;
  /** What the page has moved under it since, and when. */
  #came: { readonly control: Element | null; readonly at: number } | undefined;
  #place = '';

  constructor(missed: () => void) {
    this.#missed = missed;
  }

  watch(document: Document): void {
    const capture = true;
    document.addEventListener('pointermove', (event) => this.#moved(event), { capture, passive: true });
    document.addEventListener('pointerover', (event) => this.#over(event), { capture, passive: true });
    // Whoever scrolls brings the control under the pointer by hand, and whoever has typed since has looked.
    for (const own of ['wheel', 'keydown', 'beforeinput']) {
      document.addEventListener(own, () => this.#take(undefined), { capture, passive: true });
    }
    document.addEventListener('click', (event) => this.#pressed(event), capture);
  }

  #take(aimed: Element | null | undefined): void {
    this.#aimed = aimed;
    this.#came = undefined;
  }

  /** A browser tells of a move also when it was the page that moved; the place is the same then. */
  #isByHand({ clientX, clientY }: PointerEvent): boolean {
    const place = `${clientX} ${clientY}`;
    const isNew = place !== this.#place;
    this.#place = place;
    return isNew;
  }

  #moved(event: PointerEvent): void {
    if (this.#isByHand(event)) this.#take(controlAt(event));
  }

  #over(event: PointerEvent): void {
    if (this.#isByHand(event)) this.#take(controlAt(event));
    else if (this.#aimed !== undefined) this.#came = { control: controlAt(event), at: event.timeStamp };
  }

  #pressed(event: MouseEvent): void {
    const control = controlAt(event);
    const isByMouse = event.detail > 0 && (event as PointerEvent).pointerType === 'mouse';
    if (!isByMouse || control === null || this.#aimed === undefined || control === this.#aimed) return;
    const hasSettled = this.#came?.control === control && event.timeStamp - this.#came.at >= SETTLED;
    // The next press on it is meant.
    this.#take(control);
    if (hasSettled) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#missed();
  }
}

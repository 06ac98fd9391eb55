import { PlaceLog } from './places.ts';

/** Milliseconds that a control must have lain where it is pressed, if the page has moved it there. */
const SETTLED = 500;
/** Milliseconds in which the page has drawn what follows from a key. */
const OWN = 50;
const CONTROLS = 'button, label';

const controlAt = ({ target }: Event): Element | null => (target instanceof Element ? target.closest(CONTROLS) : null);

/**
 * Swallows a press that nobody aimed: a card closes elsewhere, those below it move up, and another button lies under
 * the pointer at the moment at which it is pressed. What the mouse was moved onto counts at once, and keys always. A
 * finger rests nowhere, so for one it is asked what lay there half a second ago.
 */
export class Aim {
  readonly #missed: () => void;
  /** What the pointer was on when it last moved by hand; undefined: not known. */
  #aimed: Element | null | undefined;
  /** What the page has moved under it since, and when. */
  #came: { readonly control: Element | null; readonly at: number } | undefined;
  #place = '';
  readonly #places = new PlaceLog();
  /** When something was last typed or scrolled here: what is drawn right then follows from it, and misleads nobody. */
  #ownAt = Number.NEGATIVE_INFINITY;

  constructor(missed: () => void) {
    this.#missed = missed;
  }

  watch(document: Document): void {
    const capture = true;
    document.addEventListener('pointermove', (event) => this.#moved(event), { capture, passive: true });
    document.addEventListener('pointerover', (event) => this.#over(event), { capture, passive: true });
    // Whoever scrolls brings the control under the pointer by hand, and whoever has typed since has looked.
    for (const own of ['wheel', 'keydown', 'beforeinput']) {
      document.addEventListener(own, () => this.#byHand(), { capture, passive: true });
    }
    document.addEventListener('click', (event) => this.#pressed(event), capture);
  }

  /** The page has been drawn anew. */
  drawn(document: Document): void {
    if (navigator.maxTouchPoints === 0) return;
    const controls = document.querySelectorAll(CONTROLS);
    const now = performance.now();
    if (now - this.#ownAt < OWN) this.#places.restart(controls);
    else this.#places.drawn(controls, now, now - SETTLED);
  }

  #byHand(): void {
    this.#take(undefined);
    this.#places.forget();
    this.#ownAt = performance.now();
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
    if (event.detail === 0 || control === null) return;
    const isByMouse = (event as PointerEvent).pointerType === 'mouse';
    if (isByMouse ? this.#isAimed(control, event.timeStamp) : this.#isWhereItWas(control, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#missed();
  }

  #isAimed(control: Element, now: number): boolean {
    if (this.#aimed === undefined || control === this.#aimed) return true;
    const hasSettled = this.#came?.control === control && now - this.#came.at >= SETTLED;
    // The next press on it is meant.
    this.#take(control);
    return hasSettled;
  }

  #isWhereItWas(control: Element, { pageX, pageY, timeStamp }: MouseEvent): boolean {
    if (!this.#places.wasAnother(control, pageX, pageY, timeStamp - SETTLED)) return true;
    // The next press is meant.
    this.#places.forget();
    return false;
  }
}

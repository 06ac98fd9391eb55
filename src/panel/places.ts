/** Where controls lie on the page, and where they lay before it last changed. */
type Places = ReadonlyMap<Element, DOMRect>;

const isIn = (box: DOMRect | undefined, x: number, y: number): boolean =>
  box !== undefined && x >= box.left && x < box.right && y >= box.top && y < box.bottom;

export class PlaceLog {
  #present: Places = new Map();
  #past: { readonly places: Places; readonly until: number }[] = [];

  /** The page has been drawn anew. What lay elsewhere before `since` is of no interest any more. */
  drawn(controls: Iterable<Element>, now: number, since: number): void {
    this.#past = this.#past.filter(({ until }) => until >= since);
    this.#past.push({ places: this.#present, until: now });
    this.restart(controls);
  }

  /** They lie where they shall: nobody is misled by that. */
  restart(controls: Iterable<Element>): void {
    const { scrollX, scrollY } = window;
    const placeOf = (control: Element): DOMRect => {
      const { left, top, width, height } = control.getBoundingClientRect();
      return new DOMRect(left + scrollX, top + scrollY, width, height);
    };
    this.#present = new Map(Array.from(controls, (control) => [control, placeOf(control)]));
  }

  forget(): void {
    this.#past = [];
  }

  /** Another control lay at this place of the page, at some time since then. */
  wasAnother(control: Element, x: number, y: number, since: number): boolean {
    return this.#past.some(
      ({ places, until }) =>
        until >= since && !isIn(places.get(control), x, y) && [...places.values()].some((box) => isIn(box, x, y)),
    );
  }
}

/**
 * The ids of one walk: those it has met, and those it looks out for.
 *
 * A `Map` would do, at a price: every link of a walk is looked up here, and looking up is most of what a walk does. So
 * this is a table of numbers over a list of ids, with a cheap hash of an id's end, where ids differ. Where that hash is
 * bad for the ids of a log, a `Map` it is.
 */

/** Not met before. */
export const NEW = -1;
/** Met on this walk. */
export const SEEN = -2;

const FIRST_SLOTS = 1_024;
/** Looked-at slots, for each id, beyond which the hash is called bad. */
const PROBES = 4;

/** The last four units, and one from the middle. A unit that is not there is NaN, which a bit operation makes 0. */
function hash(id: string): number {
  const end = id.length - 1;
  const sum =
    id.charCodeAt(end) +
    id.charCodeAt(end - 1) * 31 +
    id.charCodeAt(end - 2) * 961 +
    id.charCodeAt(end - 3) * 29_791 +
    id.charCodeAt(end >> 1) * 923_521;
  return sum ^ (sum >>> 9);
}

// Plain fields: private ones cost a good part of a look-up.
export class Marks {
  /** Those that are looked out for come first; the number of one is its place here. */
  private readonly ids: string[] = [];
  private posts = 0;
  private readonly passed: Uint8Array;
  private slots: Int32Array;
  private mask: number;
  private probes = 0;
  private map: Map<string, number> | undefined;

  /** `most`: how many ids there may be to look out for. */
  constructor(most: number) {
    let slots = FIRST_SLOTS;
    while (slots < most * 2) slots *= 4;
    this.slots = new Int32Array(slots);
    this.mask = slots - 1;
    this.passed = new Uint8Array(most);
  }

  /** Looks out for an id; gives its number. All of them before the first `visit`. */
  post(id: string): number {
    const place = this.place(id);
    this.posts = this.ids.length;
    return place >= 0 ? place : this.posts - 1;
  }

  /** Meets an id: its number if it is looked out for and was not met before, otherwise NEW or SEEN. */
  visit(id: string): number {
    const place = this.place(id);
    if (place < 0) return NEW;
    if (place >= this.posts || this.passed[place] === 1) return SEEN;
    this.passed[place] = 1;
    return place;
  }

  /** Where the id is; -1: it was not there, and is now the last. */
  private place(id: string): number {
    if (this.map !== undefined) return this.placeInMap(this.map, id);
    const { slots, mask, ids } = this;
    let slot = hash(id) & mask;
    for (let place = slots[slot] as number; place !== 0; place = slots[slot] as number) {
      if (ids[place - 1] === id) return place - 1;
      slot = (slot + 1) & mask;
      this.probes += 1;
    }
    slots[slot] = ids.push(id);
    if (ids.length * 2 > slots.length || this.probes > slots.length * PROBES) this.grow();
    return -1;
  }

  private placeInMap(map: Map<string, number>, id: string): number {
    const place = map.get(id);
    if (place !== undefined) return place;
    map.set(id, this.ids.push(id) - 1);
    return -1;
  }

  private grow(): void {
    const { ids } = this;
    if (this.probes > ids.length * PROBES) {
      this.map = new Map(ids.map((id, place) => [id, place]));
      return;
    }
    const slots = new Int32Array(this.slots.length * 4);
    const mask = slots.length - 1;
    for (let place = 0; place < ids.length; place += 1) {
      let slot = hash(ids[place] as string) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = place + 1;
    }
    this.slots = slots;
    this.mask = mask;
  }
}

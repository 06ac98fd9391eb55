/** Wraps a healthy part in those seeded defects that `READBACK_DEFECTS` names (with commas); without it, in all. */

export const isIn = (name) => process.env.READBACK_DEFECTS?.split(',').includes(name) ?? true;

/** The part, with some of its members replaced. What is frozen stays as it is behind the proxy. */
export function replaced(part, own) {
  return new Proxy(Object.create(Reflect.getPrototypeOf(part)), {
    get(_, member) {
      if (Object.hasOwn(own, member)) return own[member];
      const found = Reflect.get(part, member, part);
      return typeof found === 'function' ? found.bind(part) : found;
    },
    set: (_, member, value) => Reflect.set(part, member, value, part),
  });
}

/** Each defect replaces members of what the defects before it have made. */
export function broken(healthy, defects) {
  let made = healthy;
  for (const [name, seed] of Object.entries(defects)) if (isIn(name)) made = replaced(made, seed(made));
  return made;
}

/** Each defect changes the options with which a healthy part is made. */
export function misled(options, defects) {
  let given = options;
  for (const [name, seed] of Object.entries(defects)) if (isIn(name)) given = { ...given, ...seed(given) };
  return given;
}

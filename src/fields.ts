/** What callers from outside may have given in place of the options that a type asks for. */

/** Of each field its `typeof`; with `?` it may be left out. A dot leads into a field: `coordinator.ask`. */
export type Fields = Readonly<Record<string, 'function' | 'object' | 'function?' | 'object?'>>;

const WORDS = { function: 'a function', object: 'an object' } as const;

function at(options: object, path: string): unknown {
  let value: unknown = options;
  for (const name of path.split('.')) value = value == null ? undefined : Reflect.get(Object(value), name);
  return value;
}

/** The first field that is missing or of another type, and why; undefined: none. Runs nothing of the caller's but getters. */
export function wrongField(options: unknown, fields: Fields): readonly [field: string, why: string] | undefined {
  if (typeof options !== 'object' || options === null) return ['options', 'must be an object'];
  for (const [field, wanted] of Object.entries(fields)) {
    const value = at(options, field);
    if (value === undefined && wanted.endsWith('?')) continue;
    const type = wanted.replace('?', '') as keyof typeof WORDS;
    if (value === undefined) return [field, `is missing; give ${WORDS[type]}`];
    if (typeof value !== type || value === null)
      return [field, `must be ${WORDS[type]}, not ${value === null ? 'null' : typeof value}`];
  }
  return undefined;
}

/** For whoever has no errors of its own: what runs in a browser. */
export function requireFields(options: unknown, fields: Fields): void {
  const wrong = wrongField(options, fields);
  if (wrong !== undefined) throw new TypeError(`${wrong[0]}: ${wrong[1]}. Nothing was made.`);
}

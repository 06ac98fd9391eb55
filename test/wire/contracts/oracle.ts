/** What R-154 says, the slow way: each key of a value is asked for by itself, with every branch followed from the root. */
import { type FieldShape, type Shape, TAG } from './shapes.ts';

type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every path of the value, in the order of a walk. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => [[...path, at], ...pathsOf(one, [...path, at])]);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => [[...path, key], ...pathsOf(one, [...path, key])]);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((held, part) => (held as Record<string | number, unknown>)[part], value);

/** Objects, lists and scalars that a shape can be at a value. */
function branches(shape: Shape, value: unknown): Shape[] {
  if (shape.kind === 'nullable') return [...branches(shape.inner, value), { kind: 'null' }];
  if (shape.kind === 'named') return branches(shape.inner, value);
  if (shape.kind === 'union') return shape.options.flatMap((one) => branches(one, value));
  if (shape.kind !== 'tagged') return [shape];
  const options = shape.options.map((one, index) => ({ tag: `t${index}`, object: withTag(one) }));
  const meant = options.filter(({ tag }) => isObject(value) && Object.hasOwn(value, TAG) && value[TAG] === tag);
  return (meant.length > 0 ? meant : options).map(({ object }) => object);
}

const withTag = (fields: readonly FieldShape[]): Shape => ({
  kind: 'object',
  fields: [...fields, { key: TAG, inner: { kind: 'string' }, presence: 'required' }],
});

/** The shapes that a path leads to. */
function reached(root: Shape, value: unknown, path: Path): Shape[] {
  let here = branches(root, value);
  path.forEach((part, depth) => {
    const inner = at(value, path.slice(0, depth + 1));
    const next = here.flatMap((shape): Shape[] => {
      if (shape.kind === 'json') return [shape];
      if (typeof part === 'number') return shape.kind === 'array' ? [shape.inner] : [];
      if (shape.kind === 'record') return [shape.inner];
      const field = shape.kind === 'object' ? shape.fields.find(({ key }) => key === part) : undefined;
      return field === undefined ? [] : [field.inner];
    });
    here = next.flatMap((shape) => branches(shape, inner));
  });
  return here;
}

/** Paths of the keys that no branch knows, in the order of a walk. */
export function expectedUnknown(fields: readonly FieldShape[], value: unknown): Path[] {
  const root: Shape = { kind: 'object', fields };
  const found: Path[] = [];
  for (const path of pathsOf(value)) {
    if (typeof path.at(-1) === 'number') continue;
    // Below a key that is unknown nothing more is.
    if (found.some((one) => one.every((part, depth) => path[depth] === part))) continue;
    const holders = reached(root, value, path.slice(0, -1));
    const takesKeys = holders.some(({ kind }) => kind === 'object' || kind === 'record');
    if (takesKeys && !holders.some(({ kind }) => kind === 'json') && reached(root, value, path).length === 0) {
      found.push(path);
    }
  }
  return found;
}

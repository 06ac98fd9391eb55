/** Steps in the five-field shapes of XState's own inspection events, for whatever reads those. Made of names only. */
import type { TapFact, TapStep, TapValue } from '../tap.ts';
import { MACHINES } from './machines.ts';

/** A row as inspection names it: an actor that is not one, so nothing can be sent to it. */
export interface ShownActor {
  readonly id: string;
  /** `answer:aa1`; the coordinator is `coordinator:coordinator`. */
  readonly sessionId: string;
  readonly _parent: ShownActor | undefined;
  /** The chart without its first context, whose literals nobody has looked at. */
  readonly logic: { readonly config: object };
  getSnapshot(): ShownSnapshot;
}

/** Where a row stands; in place of its context stands what the step was. */
export interface ShownSnapshot {
  readonly status: 'active' | 'done';
  readonly value: TapValue;
  readonly context: Readonly<Record<string, TapFact>>;
  readonly output: undefined;
  readonly error: undefined;
}

interface Shape {
  readonly rootId: string;
  readonly actorRef: ShownActor;
}
type Event = TapStep['event'];

/** What XState tells its inspectors, in the order in which it tells it. */
export type ShownEvent = Shape &
  (
    | { readonly type: '@xstate.actor' }
    | { readonly type: '@xstate.event'; readonly sourceRef: undefined; readonly event: Event }
    | { readonly type: '@xstate.action'; readonly action: { readonly type: string; readonly params: undefined } }
    | {
        readonly type: '@xstate.microstep';
        readonly event: Event;
        readonly snapshot: ShownSnapshot;
        readonly _transitions: readonly { readonly meta: { readonly rules: readonly string[] } }[];
      }
    | { readonly type: '@xstate.snapshot'; readonly event: Event; readonly snapshot: ShownSnapshot }
  );

const plain = (config: object): object =>
  JSON.parse(JSON.stringify({ ...config, context: undefined, types: undefined }));

/** By chart id; made when a row of it is first shown. */
const definitions = new Map<string, object>();

function definitionOf(machine: string): object {
  const known = definitions.get(machine);
  if (known !== undefined) return known;
  const made = plain(MACHINES.find(({ id }) => id === machine)?.config ?? { id: machine });
  definitions.set(machine, made);
  return made;
}

const snapshotOf = (value: TapValue, done: boolean, context: ShownSnapshot['context']): ShownSnapshot =>
  Object.freeze({ status: done ? 'done' : 'active', value, context, output: undefined, error: undefined });

function actor(machine: string, id: string, parent: ShownActor | undefined, at: ShownSnapshot): ShownActor {
  const logic = Object.freeze({ config: definitionOf(machine) });
  return Object.freeze({ id, sessionId: `${machine}:${id}`, _parent: parent, logic, getSnapshot: () => at });
}

const ROOT = 'coordinator';
const root = actor(ROOT, ROOT, undefined, snapshotOf('opening', false, {}));

/**
 * One step as XState would have told of it: event, actions, microstep, snapshot; `isNew` puts the actor before them.
 *
 * A row is a child of the coordinator. What is in the step is all that is in the shapes.
 */
export function inspectionEvents(step: TapStep, isNew: boolean): readonly ShownEvent[] {
  const { machine, id, event, before, after, effects, rules, done, seq, at } = step;
  const isRoot = machine === ROOT;
  const first = before === null ? snapshotOf(after, done, {}) : snapshotOf(before, false, {});
  const actorRef = actor(machine, id, isRoot ? undefined : root, first);
  const shape = { rootId: root.sessionId, actorRef };
  const snapshot = snapshotOf(after, done, { seq, at, rules, effects });
  return [
    ...(isNew ? [{ ...shape, type: '@xstate.actor' } as const] : []),
    { ...shape, type: '@xstate.event', sourceRef: undefined, event },
    ...effects.map((type) => ({ ...shape, type: '@xstate.action', action: { type, params: undefined } }) as const),
    { ...shape, type: '@xstate.microstep', event, snapshot, _transitions: [{ meta: { rules } }] },
    { ...shape, type: '@xstate.snapshot', event, snapshot },
  ];
}

/** The coordinator, for an inspector that sees a row before any step of the coordinator itself. */
export const rootActor = (): ShownEvent => ({ type: '@xstate.actor', rootId: root.sessionId, actorRef: root });

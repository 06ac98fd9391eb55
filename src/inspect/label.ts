/** What stands on an arrow, in drawings and in text alike. */
import type { Arrow } from './outline.ts';

/** Signs in one line of a label. */
export const ROOMY = 46;

/** `EVENT [guard] / order`. In fewer signs than that, the orders are left out; event and guard never are. */
export function label(arrow: Arrow, room: number): string {
  const { orders } = arrow;
  const short = head(arrow);
  if (orders.length === 0) return short;
  const whole = `${short} / ${orders.join(', ')}`;
  return whole.length <= room ? whole : `${short} / …`;
}

/** `EVENT [guard]`, or the guard alone where it is taken by itself. */
export function head({ event, guard, index }: Arrow): string {
  if (event !== 'always') return guard === undefined ? event : `${event} [${guard}]`;
  if (guard !== undefined) return `[${guard}]`;
  return index === 0 ? 'always' : '[otherwise]';
}

/** All there is to say of a transition, for a tooltip. */
export function told({ actions, rules, description }: Arrow): string {
  const parts = [
    ...(description === undefined ? [] : [description]),
    ...(actions.length === 0 ? [] : [`does ${actions.join(', ')}`]),
    ...(rules.length === 0 ? [] : [`by ${rules.join(', ')}`]),
  ];
  return parts.join(' · ');
}

export interface Bundle {
  readonly from: string;
  readonly to: string;
  readonly arrows: readonly Arrow[];
}

/** Transitions between the same two states share one line; those that stay are none of these. */
export function bundles(arrows: readonly Arrow[]): readonly Bundle[] {
  const found = new Map<string, { from: string; to: string; arrows: Arrow[] }>();
  for (const arrow of arrows) {
    if (arrow.to === undefined || arrow.to === arrow.from) continue;
    const key = `${arrow.from} ${arrow.to}`;
    const bundle = found.get(key) ?? { from: arrow.from, to: arrow.to, arrows: [] };
    bundle.arrows.push(arrow);
    found.set(key, bundle);
  }
  return [...found.values()];
}

export const stays = (arrows: readonly Arrow[]): readonly Arrow[] =>
  arrows.filter(({ from, to }) => to === undefined || to === from);

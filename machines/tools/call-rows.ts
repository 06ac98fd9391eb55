/** Transitions of the chart of a call that several of its phases have in common. */

/** A result that is not ours: it settles the reader, and the arguments close after it. */
export const PROVIDED = {
  guard: 'gainsResult',
  target: 'settledByProvider',
  actions: ['noteAnswered', 'noteOver', 'noteClosed', 'giveResult', 'closeArguments'],
  meta: { rules: ['R-50', 'R-60'] },
} as const;
export const HANDED = {
  guard: 'closesFree',
  target: 'handedOver',
  actions: ['noteClosed', 'closeArguments', 'schedule'],
  meta: { rules: ['R-50', 'R-52'] },
} as const;
export const SKIPPED = {
  guard: 'closes',
  target: 'skipped',
  actions: ['noteClosed', 'closeArguments'],
  meta: { rules: ['R-60', 'R-61', 'R-62', 'R-66'] },
} as const;
export const DISCARDED = {
  target: 'discarded',
  actions: 'noteOver',
  meta: { rules: ['R-103', 'R-104'] },
} as const;
export const RETIRE = {
  target: 'retired',
  actions: ['noteOver', 'release'],
  meta: { rules: ['R-92', 'R-111'] },
} as const;
/** An execution that is under way loses its signal, and whoever waits for its end is let go. */
export const RETIRE_RUNNING = {
  target: 'retired',
  actions: ['noteOver', 'release', 'leave'],
  meta: { rules: ['R-101', 'R-111'] },
} as const;
export const ANSWERED_MEANWHILE = {
  guard: 'gainsResult',
  actions: ['noteAnswered', 'giveResult'],
  meta: { rules: ['R-60'] },
} as const;
export const END = [
  {
    guard: 'isAnswered',
    target: 'settledByProvider',
    actions: ['noteOver', 'leave', 'publish'],
    meta: { rules: ['R-60'] },
  },
  { guard: 'isWithheld', target: 'skipped', actions: ['noteOver', 'leave', 'publish'], meta: { rules: ['R-61'] } },
  {
    target: 'settledByClient',
    actions: ['noteOver', 'leave', 'publish', 'giveOutcome', 'report'],
    meta: { rules: ['R-71', 'R-90'] },
  },
] as const;

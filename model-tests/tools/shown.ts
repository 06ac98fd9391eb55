/** What live snapshots have shown of a call, and whether something of its tool may start after that. */

export interface Shown {
  texts: string[];
  closed: boolean;
  barred: boolean;
  discarded: boolean;
}

export const fresh = (): Shown => ({ texts: [], closed: false, barred: false, discarded: false });

/** Nothing of a withheld call runs but its argument callback. */
export function startFaults(what: string, owner: string, { closed, barred, discarded }: Shown): string[] {
  return [
    ...(owner === 'client' || closed ? [] : [`I-03: the ${what} started in an open run`]),
    ...(owner === 'provider' ? [`I-04: the ${what} started, and the provider answers it`] : []),
    ...(barred ? [`I-05: the ${what} started with a gate or a result`] : []),
    ...(discarded ? [`I-06: the ${what} started, and it was discarded`] : []),
  ];
}

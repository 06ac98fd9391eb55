/** What the chart of a spent call hears. It remembers and asks nothing. */
export type SpendEvent =
  | { readonly type: 'CLAIM' }
  | { readonly type: 'PARK' }
  | { readonly type: 'RESUME' }
  | { readonly type: 'DONE' }
  | { readonly type: 'FAILED' }
  | { readonly type: 'RESTART' }
  | { readonly type: 'AGAIN' }
  | { readonly type: 'GIVEN' };

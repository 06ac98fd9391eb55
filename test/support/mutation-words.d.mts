import type { InstrumenterOptions } from '@stryker-mutator/instrumenter';

export const strykerPlugins: readonly { readonly value: InstrumenterOptions['ignorers'][number] }[];

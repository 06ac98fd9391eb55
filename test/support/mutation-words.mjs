/** Words for whoever reads or draws a chart, and types for the compiler: they decide nothing, so no defect is sown there. */
const WORDS = new Set(['description', 'meta', 'types']);

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'words',
    value: {
      shouldIgnore: ({ node }) =>
        node.type === 'ObjectProperty' && WORDS.has(node.key.name) ? 'words for a reader' : undefined,
    },
  },
];

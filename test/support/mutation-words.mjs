/** Words for whoever reads or draws a chart: they decide nothing, so no defect is sown into them. */
const WORDS = new Set(['description', 'meta']);

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

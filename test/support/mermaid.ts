/** The answer chart as text: one line a move between states, drawn from the machine itself. */
import { answerMachine } from '../../machines/journal/answer.ts';

interface Branch {
  readonly target?: string;
  readonly guard?: string;
}
interface Node {
  readonly on?: Readonly<Record<string, Branch | readonly Branch[]>>;
  readonly always?: readonly Branch[];
}

const list = (branches: Branch | readonly Branch[] | undefined): readonly Branch[] =>
  branches === undefined ? [] : Array.isArray(branches) ? branches : [branches as Branch];

/** Moves of one region as lines of a mermaid state diagram, events between the same two states on one arrow. */
function moves(states: Readonly<Record<string, Node>>, indent: string): string[] {
  const arrows = new Map<string, Set<string>>();
  const add = (from: string, to: string, label: string): void => {
    const labels = arrows.get(`${from} --> ${to}`) ?? new Set();
    arrows.set(`${from} --> ${to}`, labels.add(label));
  };
  for (const [name, node] of Object.entries(states)) {
    for (const { target, guard } of node.always ?? [])
      if (target !== undefined) add('[*]', target, guard ?? 'otherwise');
    for (const [event, branches] of Object.entries(node.on ?? {})) {
      for (const { target } of list(branches)) if (target !== undefined) add(name, target, event);
    }
  }
  return [...arrows].map(([arrow, labels]) => `${indent}${arrow}: ${[...labels].join(', ')}`);
}

export function answerChartAsMermaid(): string {
  const regions = (answerMachine.config.states ?? {}) as Readonly<
    Record<string, { states: Readonly<Record<string, Node>> }>
  >;
  const lines = Object.entries(regions).map(([name, { states }]) => {
    const used = Object.fromEntries(Object.entries(states));
    return [`  state ${name} {`, ...moves(used, '    '), '  }'].join('\n');
  });
  return [
    'stateDiagram-v2',
    '  direction LR',
    '  [*] --> answer',
    '  state answer {',
    lines.join('\n  --\n'),
    '  }',
  ].join('\n');
}

import { z } from 'zod';
import {
  ackAnswersInput,
  ackOutput,
  askUserInput,
  awaitAnswerInput,
  listAsksInput,
  listOutput,
  outcomeOutput,
  withdrawAskInput,
  withdrawOutput,
} from './schemas.ts';

interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

const ACKNOWLEDGE = 'Once you have read an answer, name its token in ack_answers (or in ack of any other tool here).';

/** The five tools, in the order in which they are listed. */
export const TOOLS = {
  ask_user: {
    title: 'Ask the person',
    description: [
      'Puts a question to the person and waits for the answer; offer options where there are any. Up to four questions that',
      'belong together go into questions, on one card: each is answered by itself, and answers to some are no answer to the rest.',
      'If the person has not answered when the wait ends, the result is pending: the question stays on the screen, nothing was',
      'refused, and you must not take it as a no. Then call await_answer with the ask_id (of a batch: ask_ids); do not ask the same question again.',
      'undeliverable means that nobody was shown anything. declined means that the person looked and chose not to answer.',
      ACKNOWLEDGE,
    ].join(' '),
    input: askUserInput,
    output: outcomeOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  await_answer: {
    title: 'Wait for an answer',
    description: [
      'Waits for the answer of a question that is already on file (several: ask_ids), or fetches what was given. Call it when ask_user',
      'returned pending, as often as you need; each pending only means that the person has not answered yet.',
      ACKNOWLEDGE,
    ].join(' '),
    input: awaitAnswerInput,
    output: outcomeOutput,
    // Its ack writes a receipt, and what it brings is handed over: that is no reading only.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  list_asks: {
    title: 'List questions',
    description:
      'Lists questions with their ask_id and state. Holds no answer: fetch one with await_answer. Use it when you no longer know an ask_id.',
    input: listAsksInput,
    output: listOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  withdraw_ask: {
    title: 'Withdraw a question',
    description:
      'Takes an open question off the screen because its answer is no longer needed. If the person has answered already, the result says so and the answer stays on file.',
    input: withdrawAskInput,
    output: withdrawOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
  ack_answers: {
    title: 'Acknowledge answers',
    description:
      'Proves that you have read answers, by their tokens. Until you do, an answer is repeated with later results and the person sees that it was not read.',
    input: ackAnswersInput,
    output: ackOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;

export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

export const noTool = (name: string): string =>
  `name: there is no tool ${JSON.stringify(name)}; the tools are: ${Object.keys(TOOLS).join(', ')}`;

/** One tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema: { type: 'object'; [key: string]: unknown };
  annotations: Tool['annotations'] & { title: string };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  // No $schema: clients compile these with validators of different dialects, and nothing here depends on one.
  const { $schema: _dialect, type: _type, ...rest } = z.toJSONSchema(schema, { io });
  return { type: 'object', ...rest };
}

let listed: ListedTool[] | undefined;

/** The answer to `tools/list`. Built at the first call, because building it costs more than starting. */
export function listTools(): ListedTool[] {
  listed ??= Object.entries(TOOLS).map(([name, tool]) => ({
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'input'),
    annotations: { title: tool.title, ...tool.annotations },
  }));
  return listed;
}

/** Bad input, said so that the caller can correct it. */
export interface Refusal {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (so, key) => (typeof key === 'number' ? `${so}[${key}]` : so === '' ? String(key) : `${so}.${String(key)}`),
    '',
  );
}

function refusals(issue: z.core.$ZodIssue): Refusal[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const field = [path, key].filter((part) => part !== '').join('.');
      const remedy = `Leave ${field} out, or use the name in the input schema.`;
      return { field, reason: 'is not a field of this tool', remedy };
    });
  }
  const field = path === '' ? 'arguments' : path;
  return [{ field, reason: issue.message, remedy: `Correct ${field} and call the tool again.` }];
}

/** Some models write null for a field they leave out. */
function withoutNulls(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(withoutNulls);
  if (typeof input !== 'object' || input === null) return input;
  const kept = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutNulls(value)]));
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Our words for what the schema itself has none for. */
function wording(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'array' ? `must have ${issue.minimum} items or more` : `must be ${issue.minimum} or more`;
    case 'too_big':
      return issue.origin === 'array' ? `may have at most ${issue.maximum} items` : `must be ${issue.maximum} or less`;
    default:
      return 'is not valid';
  }
}

/** Checks the arguments of a call; every wrong field is named once, the first five with their reason. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  input: unknown,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly wrong: readonly Refusal[] } {
  const parsed = schema.safeParse(withoutNulls(input ?? {}), { error: wording });
  if (parsed.success) return { ok: true, value: parsed.data };
  const all = parsed.error.issues.flatMap(refusals);
  // A blank text fails several checks at once; the first says all there is to say.
  const wrong = all.filter((each, at) => all.findIndex((other) => other.field === each.field) === at);
  return { ok: false, wrong: wrong.slice(0, 5) };
}

import { z } from 'zod';
import { SIZES } from '../limits.ts';
import { MCP_BOUNDS } from './bounds.ts';

const wellFormed = (text: string): boolean => text.isWellFormed();
const ILL_FORMED = 'holds half of a surrogate pair, so it cannot be stored or shown as it is';

function words(max: number, what: string) {
  return z
    .string()
    .min(1, `${what} must not be empty`)
    .max(max, `${what} may have at most ${max} UTF-16 units`)
    .refine((text) => text.trim() !== '', `${what} must not be blank`)
    .refine(wellFormed, ILL_FORMED);
}

const id = (what: string) => words(MCP_BOUNDS.id, what);

const ack = z
  .array(id('a token'))
  .max(MCP_BOUNDS.tokens)
  .describe('Tokens of answers that you have read. Naming a token here is the receipt; nothing else is.')
  .optional();

const branch = z
  .strictObject({
    conversation: id('conversation').describe('Names the conversation.'),
    leaf: id('leaf').describe('The newest entry of the branch in use: the one that holds this call.'),
    parents: z
      .array(id('a parent'))
      .max(
        MCP_BOUNDS.parents,
        `at most ${MCP_BOUNDS.parents} parents can be named; name those down to one named before`,
      )
      .describe('The entries above the leaf, newest first, up to one that was named before or to the first of all.'),
    breaks: z
      .array(id('a break'))
      .max(MCP_BOUNDS.parents)
      .describe('Those of them after which you no longer see what came before: compactions, summaries.')
      .optional(),
    complete: z.boolean().describe('True: the last of parents is the first entry of the conversation.').optional(),
  })
  .refine(({ leaf, parents }) => new Set([leaf, ...parents]).size === parents.length + 1, 'names an entry twice')
  .describe(
    'For clients that can name the branch of their conversation, with opaque ids; others leave it out. Answers then follow that branch: after a rewind they are withheld, after a compaction repeated. Who names it once names it in each ask_user.',
  )
  .optional();

const holdSeconds = z
  .number()
  .min(0)
  .max(MCP_BOUNDS.hold / 1_000)
  .describe('How long this call waits for the person. 0 looks without waiting. The question outlives the call.')
  .optional();

/** Whoever gave a text in place of an object is shown the object. */
const shapedAs = (shape: string) => ({
  error: ({ code, input }: z.core.$ZodRawIssue) =>
    code === 'invalid_type' && input !== undefined ? `must be an object: ${shape}` : undefined,
});

const option = z.strictObject(
  {
    id: words(SIZES.optionId, 'an option id').describe('Names the choice in the answer. Unique within the question.'),
    label: words(SIZES.optionLabel, 'an option label').describe('What the person reads.'),
    description: z
      .string()
      .max(SIZES.optionDescription, `a description may have at most ${SIZES.optionDescription} UTF-16 units`)
      .refine(wellFormed, ILL_FORMED)
      .describe('What choosing it means.')
      .optional(),
  },
  shapedAs('{ "id": "…", "label": "…" }'),
);

const question = words(SIZES.question, 'the question').describe('The whole question, as the person shall read it.');

const form = {
  header: z
    .string()
    .refine(wellFormed, ILL_FORMED)
    .describe('A short chip above the question, best at most 12 characters.')
    .optional(),
  options: z
    .array(option)
    .max(SIZES.options, `at most ${SIZES.options} options are possible`)
    .refine((all) => new Set(all.map((each) => each.id)).size === all.length, 'two options have the same id')
    .describe('The choices. The person may pick one, or several with multi_select.')
    .optional(),
  multi_select: z.boolean().describe('Whether several options may be chosen. Default false.').optional(),
  free_text: z
    .boolean()
    .describe('Whether the person may write an own text. Default: true without options, false with options.')
    .optional(),
};
const FORM = Object.keys(form) as (keyof typeof form)[];

const isAnswerable = (input: { options?: unknown[] | undefined; free_text?: boolean | undefined }): boolean =>
  (input.options ?? []).length > 0 || input.free_text !== false;
const UNANSWERABLE = {
  path: ['free_text'],
  message: 'is false and there are no options, so there is no way to answer',
};

const oneQuestion = z
  .strictObject({ question, ...form }, shapedAs('{ "question": "…" }'))
  .refine(isAnswerable, UNANSWERABLE);

const wrong = (field: string, message: string) => ({ code: 'custom' as const, path: [field], message });

export const askUserInput = z
  .strictObject({
    question: question.optional(),
    ...form,
    questions: z
      .array(oneQuestion)
      .min(1, 'must have 1 question or more')
      .max(SIZES.batch, `at most ${SIZES.batch} questions can be put at once`)
      .describe(
        `In place of question: one to ${SIZES.batch} questions that belong together, put on one card. Each is answered by itself.`,
      )
      .optional(),
    hold_seconds: holdSeconds,
    branch,
    ack,
  })
  .superRefine((input, { addIssue }) => {
    if (input.questions === undefined) {
      if (input.question === undefined) addIssue(wrong('question', 'is missing; give it, or questions'));
      else if (!isAnswerable(input)) addIssue({ code: 'custom', ...UNANSWERABLE });
      return;
    }
    if (input.question !== undefined) addIssue(wrong('questions', 'excludes question; give one of the two'));
    for (const name of FORM) {
      if (input[name] !== undefined) addIssue(wrong(name, 'belongs to one question; put it into questions[…]'));
    }
  });

export const awaitAnswerInput = z
  .strictObject({
    ask_id: id('ask_id')
      .describe('The ask_id that ask_user returned. An ask of an earlier session works too.')
      .optional(),
    ask_ids: z
      .array(id('an ask_id'))
      .min(1, 'must have 1 ask_id or more')
      .max(SIZES.batch, `at most ${SIZES.batch} asks can be waited for at once`)
      .refine((all) => new Set(all).size === all.length, 'names an ask twice')
      .describe('In place of ask_id: the questions of a batch, waited for together.')
      .optional(),
    hold_seconds: holdSeconds,
    branch,
    ack,
  })
  .superRefine((input, { addIssue }) => {
    if (input.ask_id === undefined && input.ask_ids === undefined)
      addIssue(wrong('ask_id', 'is missing; give it, or ask_ids'));
    if (input.ask_id !== undefined && input.ask_ids !== undefined)
      addIssue(wrong('ask_ids', 'excludes ask_id; give one of the two'));
  });

export const listAsksInput = z.strictObject({
  what: z
    .enum(['open', 'recent'])
    .describe(
      'open: questions nobody has answered yet. recent: the latest that were answered or ended without an answer. Default open.',
    )
    .optional(),
  scope: z
    .enum(['session', 'all'])
    .describe(
      'session: what this session asked. all: what other sessions of this person asked as well. Default session.',
    )
    .optional(),
  limit: z.int().min(1).max(100).describe('Default 20.').optional(),
  branch,
  ack,
});

export const withdrawAskInput = z.strictObject({
  ask_id: id('ask_id').describe('The open question to take off the screen.'),
  reason: words(SIZES.reason, 'the reason').describe('One sentence that the person will read.'),
  ack,
});

export const ackAnswersInput = z.strictObject({
  tokens: z
    .array(id('a token'))
    .min(1, 'name at least one token')
    .max(MCP_BOUNDS.tokens)
    .describe('Tokens of the answers that you have read.'),
  branch,
});

export type Branch = NonNullable<z.infer<typeof branch>>;
export type AskUserInput = z.infer<typeof askUserInput>;
export type OneQuestion = z.infer<typeof oneQuestion>;
export type AwaitAnswerInput = z.infer<typeof awaitAnswerInput>;
export type ListAsksInput = z.infer<typeof listAsksInput>;
export type WithdrawAskInput = z.infer<typeof withdrawAskInput>;

const reply = z.object({
  selected: z.array(z.string()).optional().describe('Ids of the chosen options.'),
  text: z.string().optional().describe('What the person wrote, whole.'),
  declined: z.boolean().optional().describe('True: the person looked at the question and chose not to answer.'),
});

const earlier = z.object({
  token: z.string(),
  ask_id: z.string(),
  question: z.string().nullable(),
  answer: z.string(),
  reply,
  answered_at: z.string(),
  late: z.boolean().describe('Given after the call that asked had ended, and handed to you now for the first time.'),
  possible_repeat: z.boolean(),
});

/** What every result of this server may carry beside its own matter. */
const rider = {
  notes: z.array(z.string()).optional(),
  acks: z.array(z.object({ token: z.string(), accepted: z.boolean() })).optional(),
  earlier_answers: z
    .array(earlier)
    .optional()
    .describe('Answers to other questions of yours that you have not acknowledged.'),
  parked: z.array(z.object({ token: z.string(), question: z.string().nullable() })).optional(),
  field: z.string().optional().describe('With invalid: the field that was wrong.'),
  reason: z.string().optional(),
  remedy: z.string().optional(),
  retry: z.boolean().optional(),
};

const FAILED = ['invalid', 'failed'] as const;

const OUTCOMES = [
  'answered',
  'recovered',
  'declined',
  'pending',
  'cancelled',
  'expired',
  'undeliverable',
  'superseded',
  'unknown',
] as const;

/** What there is to say of one question, alone or in a batch. */
const told = {
  ask_id: z.string().optional(),
  answer: z.string().optional().describe('The answer as text, whole, with option labels.'),
  reply: reply.optional(),
  token: z
    .string()
    .optional()
    .describe('Name it in ack_answers, or in ack of any other tool, once you have read the answer.'),
  question: z.string().optional(),
  answered_at: z.string().optional(),
  possible_repeat: z.boolean().optional(),
  read_back: z.boolean().optional().describe('True: this answer was acknowledged before and needs no receipt.'),
  from_ask_id: z.string().optional().describe('With recovered, or declined earlier: the ask this was the reply to.'),
  waited_ms: z.number().optional(),
  others: z
    .array(z.object({ question: z.string().nullable(), answer: z.string(), answered_at: z.string() }))
    .optional(),
  withheld: z.number().optional(),
  reason: z.string().optional(),
  remedy: z.string().optional(),
};

export const outcomeOutput = z.object({
  outcome: z
    .enum([...OUTCOMES, 'partly_answered', 'unanswered', ...FAILED])
    .describe('Of a batch: answered only when every question is.'),
  ...told,
  questions: z
    .array(z.object({ outcome: z.enum(OUTCOMES), ...told }))
    .optional()
    .describe('Of a batch: each question with its own outcome, in the order in which they were put.'),
  pending_ask_ids: z.array(z.string()).optional().describe('Of a batch: what is still open, for await_answer.'),
  tokens: z
    .array(z.string())
    .optional()
    .describe('Of a batch: all tokens to acknowledge once you have read the answers.'),
  dropped_answers: z.number().optional().describe('Answers that were lost before anybody read them.'),
  dropped_token: z.string().optional().describe('Acknowledge it once you have taken note of the loss.'),
  ...rider,
});

export const listOutput = z.object({
  outcome: z.enum(['listed', ...FAILED]),
  asks: z
    .array(
      z.object({
        ask_id: z.string(),
        state: z.string(),
        question: z.string(),
        from: z.string(),
        opened_at: z.string(),
        own: z.boolean(),
        answers: z.number().describe('Answers on file. Get them with await_answer.'),
        receipt: z.string().optional(),
        why: z.string().optional(),
        batch: z
          .object({ id: z.string(), index: z.number(), of: z.number() })
          .optional()
          .describe('Its place among the questions that were put with it.'),
      }),
    )
    .optional(),
  ...rider,
});

const verdicts = [
  'accepted',
  'late_accepted',
  'duplicate',
  'conflict',
  'superseded',
  'retired',
  'expired',
  'withdrawn',
] as const;

export const withdrawOutput = z.object({
  outcome: z.enum([...verdicts, 'unknown', 'undetermined', ...FAILED]),
  ask_id: z.string().optional(),
  state: z.string().optional(),
  ...rider,
});

export const ackOutput = z.object({ outcome: z.enum(['acknowledged', ...FAILED]), ...rider });

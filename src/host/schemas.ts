import { z } from 'zod';
import type { AnswerView, AskOption, AskView, Question, Reply, Verdict } from '../api.ts';
import { invalid, type ReadbackError } from '../errors.ts';
import { SIZES } from '../limits.ts';
import { HOST_BOUNDS, LONGEST_WAIT_MS } from './bounds.ts';

const text = (max: number) => z.string().max(max, `is longer than ${max} characters`);
const filled = (max: number) => text(max).min(1, 'is empty');
const whole = (schema: z.ZodString) =>
  schema.refine((value) => value.isWellFormed(), 'holds half of a character (a lone surrogate)');
const id = filled(HOST_BOUNDS.id);
const reason = whole(filled(SIZES.reason));
const wait = z.int().min(0).max(LONGEST_WAIT_MS).optional();
/** Query strings carry numbers as text; anything but plain digits is refused, not guessed at. */
const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'is not a whole number')
  .transform(Number);
const limit = digits.pipe(z.int().min(1).max(HOST_BOUNDS.list)).optional();

/** One option of a card. */
export const optionSchema: z.ZodType<AskOption> = z.strictObject({
  id: filled(SIZES.optionId),
  label: filled(SIZES.optionLabel),
  description: text(SIZES.optionDescription).optional(),
});

/** A question as an agent or script sends it. Bounds: `SIZES`. */
export const questionSchema: z.ZodType<Question> = z.strictObject({
  question: filled(SIZES.question),
  header: text(SIZES.header).optional(),
  options: z
    .array(optionSchema)
    .max(SIZES.options, `has more than ${SIZES.options} options`)
    .refine((list) => new Set(list.map((o) => o.id)).size === list.length, 'has two options with the same id')
    .optional(),
  multiSelect: z.boolean().optional(),
  freeText: z.boolean().optional(),
});

/** A person's reply. Whether it fits its card is the coordinator's verdict; here only form and size. Bounds: `SIZES`. */
export const replySchema = z.strictObject({
  selected: z.array(filled(SIZES.optionId)).max(SIZES.options).optional(),
  text: text(SIZES.answerText).optional(),
  declined: z.boolean().optional(),
}) satisfies z.ZodType<Reply>;

/** Params of the host's own methods, by method. */
export const pageParams = {
  resume: z.strictObject({ window: whole(id), cursor: id.optional() }),
  withdraw: z.strictObject({ ask_id: id, reason }),
  show: z.strictObject({ ask_id: id }),
} as const;

/** One answer on file as pages are shown it. What the host says itself is not bounded here but in `fit.ts`. */
export const answerView = z
  .strictObject({
    token: z.string(),
    reply: z.strictObject({
      selected: z.array(z.string()).optional(),
      text: z.string().optional(),
      declined: z.boolean().optional(),
    }),
    text: z.string(),
    answeredAt: z.number(),
    receipt: z.enum(['saved', 'handed', 'read_back', 'parked', 'retired']),
    why: z.string().optional(),
    surface: z.string().optional(),
  })
  .meta({ id: 'AnswerView' }) satisfies z.ZodType<AnswerView>;

/** One ask as pages are shown it. */
export const askView = z
  .strictObject({
    askId: z.string(),
    tab: z.string(),
    state: z.enum(['open', 'answered', 'withdrawn', 'expired', 'superseded', 'retired', 'lost']),
    awaited: z.boolean(),
    question: z.string(),
    header: z.string(),
    options: z.array(
      z
        .strictObject({ id: z.string(), label: z.string(), description: z.string().optional() })
        .meta({ id: 'AskOption' }),
    ),
    multiSelect: z.boolean(),
    freeText: z.boolean(),
    from: z.string(),
    openedAt: z.number(),
    expiresAt: z.number().optional(),
    reopened: z.boolean().optional(),
    batch: z.strictObject({ id: z.string(), index: z.number(), of: z.number() }).meta({ id: 'BatchPlace' }).optional(),
    why: z.string().optional(),
    answers: z.array(answerView),
  })
  .meta({ id: 'AskView' }) satisfies z.ZodType<AskView>;

/** What a submission is told. */
export const verdictSchema = z
  .strictObject({
    verdict: z.enum([
      'accepted',
      'late_accepted',
      'duplicate',
      'conflict',
      'superseded',
      'retired',
      'expired',
      'withdrawn',
      'unknown',
      'undetermined',
      'invalid',
    ]),
    askId: z.string(),
    saved: z.boolean(),
    token: z.string().optional(),
    winner: answerView.optional(),
    field: z.string().optional(),
    message: z.string(),
    ask: askView.optional(),
  })
  .meta({ id: 'Verdict' }) satisfies z.ZodType<Verdict>;

/** Bodies of /api, by route. */
export const bodies = {
  ask: z.strictObject({
    question: questionSchema,
    timeoutMs: wait,
    expiresInMs: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
    from: whole(text(SIZES.from)).optional(),
  }),
  await: z.strictObject({ timeoutMs: wait }),
  answer: z.strictObject({ reply: replySchema }),
  withdraw: z.strictObject({ reason }),
  ack: z.strictObject({ tokens: z.array(id).max(HOST_BOUNDS.tokens) }),
} as const;

/** Queries of /api, by route. The secret token was checked and removed before. */
export const queries = {
  asks: z.strictObject({ what: z.enum(['open', 'recent']).optional(), limit, tab: id.optional() }),
  audit: z.strictObject({ after: digits.optional(), askId: id.optional(), limit }),
  events: z.strictObject({ surface: z.literal('terminal').optional() }),
  none: z.strictObject({}),
} as const;

/**
 * Parses `value`, or throws `invalid_input` that names the first wrong field by its path, under `root`.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, root: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw problem(result.error, root);
}

function problem(error: z.ZodError, root: string): ReadbackError {
  const issue = error.issues[0];
  const path = [root, ...(issue?.path ?? []).map(String)];
  if (issue?.code === 'unrecognized_keys' && issue.keys[0] !== undefined) path.push(issue.keys[0]);
  const field = path.join('.');
  const reason =
    issue?.code === 'unrecognized_keys' ? 'is not a field of this message' : (issue?.message ?? 'is wrong');
  return invalid(field, reason.replace(/\.$/, ''));
}

/** Requests that a person answers with a choice or some words. */
import { z } from 'zod';
import { jsonObject, jsonValue } from './json-value.ts';
import { approvalChoice, approvalFields, batchAnswers, decisionFields, valueResult } from './models.ts';
import { contracts } from './pack.ts';

const clarifyQuestion = z
  .strictObject({
    qid: z.string(),
    question: z.string(),
    choices: z.array(z.string()).nullable(),
    multi_select: z.boolean(),
  })
  .meta({ id: 'ClarifyQuestion' });

/** `clarify`, `setup_choose`, `approval`, `mcp.setup`, `bot.relay`. */
export const questionPack = contracts()
  .request('clarify', {
    description: 'Questions of a batch. The fields question, choices and multi_select are the older form of one.',
    params: z.strictObject({
      questions: z.array(clarifyQuestion).optional(),
      answers: batchAnswers.optional(),
      question: z.string().optional(),
      choices: z.array(z.string()).nullable().optional(),
      multi_select: z.boolean().optional(),
    }),
    // Without answers, or with null: all of it was cancelled.
    result: z.strictObject({ answers: batchAnswers.nullable().optional(), answer: z.string().nullable().optional() }),
  })
  .request('setup_choose', {
    params: z.strictObject({
      kind: z.enum(['question', 'accent', 'theme', 'layout', 'connectors', 'plugins']),
      question: z.string(),
      options: z.array(jsonValue).optional(),
      multi_select: z.boolean(),
    }),
    result: z.strictObject({ picked: z.union([z.string(), z.array(z.string()), z.null()]) }),
  })
  .request('approval', {
    params: z.strictObject(approvalFields),
    result: z.strictObject({ choice: approvalChoice, all: z.boolean().optional(), ...decisionFields }),
  })
  .request('mcp.setup', {
    params: z.strictObject({ server: jsonObject, consent: z.string() }),
    result: valueResult,
  })
  .request('bot.relay', {
    params: z.strictObject({ payload: jsonObject }),
    result: z.strictObject({ result: jsonValue }),
  });

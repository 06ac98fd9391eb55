/** The journal's charts, compiled once. */
import { answerMachine } from '../../machines/journal/answer.ts';
import { copyAnswer } from '../../machines/journal/answer-facts.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { copyTicket, ticketMachine } from '../../machines/journal/ticket.ts';
import { compile, type EffectOf } from '../../machines/shared/step.ts';

export const answerChart = compile(answerMachine, copyAnswer);
export const debtChart = compile(debtMachine);
export const lossChart = compile(lossMachine);
export const ticketChart = compile(ticketMachine, copyTicket);

export type AnswerOrder = EffectOf<typeof answerChart>;

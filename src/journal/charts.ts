/** The journal's charts, each compiled once, when its first row is stepped. */
import { answerMachine } from '../../machines/journal/answer.ts';
import { copyAnswer } from '../../machines/journal/answer-facts.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { copyTicket, ticketMachine } from '../../machines/journal/ticket.ts';
import { compileLater, type EffectOf } from '../../machines/shared/step.ts';

export const answerChart = compileLater(answerMachine, copyAnswer);
export const debtChart = compileLater(debtMachine);
export const lossChart = compileLater(lossMachine);
export const ticketChart = compileLater(ticketMachine, copyTicket);

export type AnswerOrder = EffectOf<typeof answerChart>;

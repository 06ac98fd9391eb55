/** What may be asked and what may be answered: shapes and sizes of questions and replies, and the words for them. */
import type { AskOption, Author, BatchPlace, Question, Reply, Surface } from './api.ts';
import { invalid } from './errors.ts';
import type { AskCard } from './journal/rows.ts';
import { askFingerprint } from './journal/text.ts';
import { SIZES } from './limits.ts';

function text(value: unknown, field: string, most: number, least = 0): string {
  if (typeof value !== 'string') throw invalid(field, `must be text, not ${value === null ? 'null' : typeof value}`);
  if (value.length > most) throw invalid(field, `is ${value.length} characters long; at most ${most} are taken`);
  if (value.trim().length < least) throw invalid(field, 'must not be empty');
  if (!value.isWellFormed()) throw invalid(field, 'holds half a character (a lone surrogate); send well-formed text');
  return value;
}

const flag = (value: unknown, field: string): boolean => {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(field, 'must be true or false');
  return value === true;
};

function option(value: unknown, field: string): AskOption {
  if (typeof value !== 'object' || value === null) throw invalid(field, 'must be an object with id and label');
  const { id, label, description } = value as Record<string, unknown>;
  return Object.freeze({
    id: text(id, `${field}.id`, SIZES.optionId, 1),
    label: text(label, `${field}.label`, SIZES.optionLabel, 1),
    ...(description === undefined
      ? {}
      : { description: text(description, `${field}.description`, SIZES.optionDescription) }),
  });
}

function options(value: unknown, field: string): readonly AskOption[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(field, 'must be a list');
  if (value.length > SIZES.options)
    throw invalid(field, `has ${value.length} members; at most ${SIZES.options} are taken`);
  const read = value.map((each, i) => option(each, `${field}[${i}]`));
  const twice = read.findIndex(({ id }, i) => read.findIndex((other) => other.id === id) !== i);
  if (twice >= 0) throw invalid(`${field}[${twice}].id`, `"${read[twice]?.id}" is the id of an earlier option too`);
  return Object.freeze(read);
}

/**
 * Reads a question, or throws `invalid_input` that names the field, the reason and the remedy. `place` is where it
 * stands in its batch, and null for one that is put alone.
 */
export function readQuestion(
  question: Question,
  from: string | undefined,
  expiresAt: number | null,
  place: BatchPlace | null = null,
): { text: string; card: AskCard } {
  const at = place === null ? '' : `questions[${place.index - 1}]`;
  if (typeof question !== 'object' || question === null) throw invalid(at || 'question', 'must be an object');
  const field = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const offered = options(question.options, field('options'));
  const freeText = question.freeText === undefined ? offered.length === 0 : flag(question.freeText, field('freeText'));
  if (offered.length === 0 && !freeText)
    throw invalid(field('freeText'), 'is false and there are no options, so nothing could be answered');
  return {
    text: text(question.question, field('question'), SIZES.question, 1),
    card: Object.freeze({
      header: question.header === undefined ? '' : text(question.header, field('header'), SIZES.header),
      options: offered,
      multiSelect: flag(question.multiSelect, field('multiSelect')),
      freeText,
      from: from === undefined ? '' : text(from, 'from', SIZES.from),
      expiresAt,
      batch: place === null || place.of === 1 ? null : Object.freeze(place),
    }),
  };
}

/**
 * Identity of a card. Beyond what the person reads it counts the option ids, because an answer names them: one given
 * to equal labels under other ids must not be returned for this card.
 */
export function cardFingerprint(question: string, card: AskCard): string {
  return askFingerprint({
    question,
    header: card.header,
    multi_select: card.multiSelect,
    options: [
      ...card.options.map(({ id, label, description = '' }) => ({
        label,
        description: `${id.length}:${id}${description}`,
      })),
      { freeText: card.freeText },
    ],
  });
}

/** Reads a reply for a card, in the card's order, or throws `invalid_input`. */
export function readReply(reply: Reply, card: AskCard): Reply {
  if (typeof reply !== 'object' || reply === null)
    throw invalid('reply', 'must be an object with selected, text or declined');
  const said = reply.text === undefined ? undefined : text(reply.text, 'text', SIZES.answerText, 1);
  const chosen = reply.selected ?? [];
  if (!Array.isArray(chosen)) throw invalid('selected', 'must be a list of option ids');
  if (flag(reply.declined, 'declined')) {
    if (chosen.length > 0) throw invalid('selected', 'must be empty when the answer is declined');
    return Object.freeze({ declined: true, ...(said === undefined ? {} : { text: said }) });
  }
  chosen.forEach((id, i) => {
    if (!card.options.some((offered) => offered.id === id)) {
      const known = card.options.map((offered) => offered.id).join(', ') || 'none';
      throw invalid(
        `selected[${i}]`,
        `"${String(id).slice(0, SIZES.optionId)}" was not offered; the ids are: ${known}`,
      );
    }
  });
  const selected = card.options.filter(({ id }) => chosen.includes(id)).map(({ id }) => id);
  if (selected.length !== chosen.length) throw invalid('selected', 'names an option twice');
  if (selected.length > 1 && !card.multiSelect)
    throw invalid('selected', 'names several options of a card that takes one');
  if (said !== undefined && !card.freeText) throw invalid('text', 'is not taken by this card; choose an option');
  if (selected.length === 0 && said === undefined)
    throw invalid('reply', 'is empty; choose an option, write a text, or decline');
  return Object.freeze({
    ...(selected.length > 0 ? { selected: Object.freeze(selected) } : {}),
    ...(said === undefined ? {} : { text: said }),
  });
}

/** A reply in one line of words, with the labels of its options. */
export function replyText(reply: Reply, card: AskCard): string {
  if (reply.declined === true)
    return reply.text === undefined ? '(declined to answer)' : `(declined to answer) ${reply.text}`;
  const labels = (reply.selected ?? []).map((id) => {
    const label = card.options.find((offered) => offered.id === id)?.label ?? id;
    return label === id ? label : `${label} [${id}]`;
  });
  return [labels.join(', '), reply.text ?? ''].filter((piece) => piece !== '').join(' — ');
}

export const sameReply = (a: Reply, b: Reply): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Who speaks: a surface authenticated it, so what is wrong here is a fault of the program and not of a person. */
export function readAuthor(author: Author): Author {
  if (typeof author !== 'object' || author === null) throw invalid('author', 'must be an object with surface');
  return Object.freeze({
    surface: text(author.surface, 'author.surface', SIZES.from, 1),
    ...(author.who === undefined ? {} : { who: text(author.who, 'author.who', SIZES.header) }),
  });
}

/** What says that it can show cards: a malformed one would make an ask look visible that nobody can see. */
export function readSurface(surface: Surface): Surface {
  if (typeof surface !== 'object' || surface === null) throw invalid('surface', 'must be an object with kind and id');
  return Object.freeze({
    kind: text(surface.kind, 'surface.kind', SIZES.from, 1),
    id: text(surface.id, 'surface.id', SIZES.header, 1),
  });
}

/** A name that comes from outside: an ask id, a tab. Half a character in it would make it another name once on disk. */
export function readName(name: string, field: string): string {
  if (typeof name !== 'string') throw invalid(field, name === undefined ? 'is missing' : 'must be text');
  if (name === '') throw invalid(field, 'must not be empty');
  if (!name.isWellFormed()) throw invalid(field, 'holds half a character (a lone surrogate); send well-formed text');
  return name;
}

/** Why an ask is taken back, for people; what is too long is cut. */
export function readReason(reason: string): string {
  if (typeof reason !== 'string') throw invalid('reason', 'must be text');
  return reason.toWellFormed().slice(0, SIZES.reason);
}

/** How many rows a list may have. */
export function readLimit(limit: number | undefined): number | undefined {
  if (limit === undefined) return undefined;
  if (!Number.isInteger(limit) || limit < 0) throw invalid('limit', 'must be a whole number, 0 or more');
  return Math.min(limit, SIZES.listed);
}

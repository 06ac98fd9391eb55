import type { AskOption, AskView } from '../api.ts';
import type { JsonObject, JsonValue } from '../channel.ts';

/** One question as the fields of the page show it, wherever it comes from. */
export interface Prompt {
  /** Names its draft, and its place on the page. */
  readonly key: string;
  readonly question: string;
  readonly options: readonly AskOption[];
  readonly multiSelect: boolean;
  readonly freeText: boolean;
}

export const promptOf = (ask: AskView): Prompt => ({ ...ask, key: ask.askId });

/** One question of a clarification. `qid` is absent in the older form, which holds one question. */
export interface ClarifyPrompt extends Prompt {
  readonly qid: string | undefined;
}

const list = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

export function clarifyPrompts(id: string, params: JsonObject): readonly ClarifyPrompt[] {
  if (!Array.isArray(params['questions'])) return [clarifyPrompt(id, undefined, params)];
  return list(params['questions'])
    .filter(isObject)
    .map((one) => clarifyPrompt(`${id}#${textOf(one['qid'])}`, textOf(one['qid']), one));
}

function clarifyPrompt(key: string, qid: string | undefined, one: JsonObject): ClarifyPrompt {
  const options = list(one['choices']).map((choice) => ({ id: String(choice), label: String(choice) }));
  const multiSelect = one['multi_select'] === true && options.length > 0;
  // What the agent offers is never all that may be said to a clarification.
  return { key, qid, question: textOf(one['question']), options: unique(options), multiSelect, freeText: true };
}

export function setupPrompt(id: string, params: JsonObject): Prompt {
  const options = unique(list(params['options']).map(optionOf));
  const multiSelect = params['multi_select'] === true && options.length > 0;
  return { key: id, question: textOf(params['question']), options, multiSelect, freeText: options.length === 0 };
}

function optionOf(value: JsonValue): AskOption {
  if (!isObject(value)) return { id: String(value), label: String(value) };
  const first = (...names: string[]): string | undefined =>
    names.map((name) => value[name]).find((one): one is string => typeof one === 'string' && one !== '');
  const id = first('id', 'value', 'name', 'label') ?? JSON.stringify(value);
  return { id, label: first('label', 'name', 'title') ?? id, description: first('description', 'hint') };
}

/** Two options that answer alike are one. */
function unique(options: readonly AskOption[]): readonly AskOption[] {
  return options.filter(({ id }, at) => options.findIndex((other) => other.id === id) === at);
}

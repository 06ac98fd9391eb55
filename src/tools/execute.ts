/** One execution of a tool: validation, the executor or its stand-in, and what the outcome looks like. */
import type { SchemaIssue, SchemaLike, SchemaResult, ToolContext, ToolResponseView, ToolSpec } from './types.ts';

/** What an executor that returns nothing has as its result. */
export const NO_RESULT = '<no result>';
export const CANCELLED = 'Tool execution aborted: it was cancelled before it ended';

const RESPONSE = Symbol.for('readback.tool-response');
/** The brand of a response object of a well-known stream library. */
const FOREIGN_RESPONSE = Symbol.for('aui.tool-response');

export interface ToolResponse extends ToolResponseView {
  readonly [RESPONSE]: true;
}

/** A result with what belongs to it; a tool returns it in place of the plain result. */
export function toolResponse(response: {
  readonly result: unknown;
  readonly isError?: boolean;
  readonly artifact?: unknown;
  readonly modelContent?: readonly unknown[];
}): ToolResponse {
  return { isError: false, ...response, [RESPONSE]: true };
}

const isBag = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null;
export const isResponse = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  isBag(value) && (value[RESPONSE] === true || value[FOREIGN_RESPONSE] === true);

export const errorText = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'unknown error';
  }
};

export const failure = (text: string): ToolResponseView => ({ result: text, isError: true });

/** What the parts of an answer have in common, however it came: missing parts stay missing. */
export function responseOf(raw: unknown): ToolResponseView {
  const { result, isError, artifact, modelContent } = (isBag(raw) ? raw : {}) as Partial<ToolResponseView>;
  return {
    result: result === undefined ? NO_RESULT : result,
    isError: isError === true,
    ...(artifact === undefined ? {} : { artifact }),
    ...(Array.isArray(modelContent) ? { modelContent } : {}),
  };
}

const schemaOf = (parameters: unknown): SchemaLike['~standard'] | undefined => {
  const isHolder = isBag(parameters) || typeof parameters === 'function';
  const standard = isHolder ? (parameters as Partial<SchemaLike>)['~standard'] : undefined;
  return isBag(standard) && typeof standard['validate'] === 'function' ? standard : undefined;
};

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isBag(value) && typeof (value as { then?: unknown }).then === 'function';

const pathOf = ({ path }: SchemaIssue): string =>
  (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');

/** One line for all that a schema found. */
export const issuesText = (issues: readonly SchemaIssue[]): string =>
  `Invalid arguments: ${issues.map((one) => [pathOf(one), one.message].filter(Boolean).join(': ')).join('; ')}`;

/** What an execution needs of the tracker. */
export interface Hooks {
  /** Looked at once more right before the tool's own code: false, and nothing of it runs. */
  mayBegin(): boolean;
  begin(): void;
  notice(error: unknown): void;
  /** The outcome, or undefined when nothing of the tool was run. */
  end(outcome: ToolResponseView | undefined): void;
}

/** Runs a tool. Everything that can happen within this call happens in it: the executor starts before it returns. */
export function execute(tool: ToolSpec, input: unknown, context: ToolContext, hooks: Hooks): void {
  const fail = (error: unknown): void => hooks.end(failure(errorText(error)));
  const go = (checked: SchemaResult): void => {
    if (!hooks.mayBegin()) return hooks.end(undefined);
    try {
      const { issues } = checked;
      if (issues !== undefined && tool.onInvalid === undefined) return hooks.end(failure(issuesText(issues)));
      hooks.begin();
      const value = issues === undefined ? checked.value : input;
      const returned =
        issues === undefined ? tool.execute?.(value as never, context) : tool.onInvalid?.(input, context, issues);
      Promise.resolve(returned).then((output) => finish(tool, value, output, context, hooks), fail);
    } catch (error) {
      fail(error);
    }
  };
  try {
    const schema = schemaOf(tool.parameters);
    const checked = schema === undefined ? { value: input } : schema.validate(input);
    if (isPromise(checked)) Promise.resolve(checked).then(go, fail);
    else go(checked);
  } catch (error) {
    fail(error);
  }
}

function finish(tool: ToolSpec, input: unknown, output: unknown, context: ToolContext, hooks: Hooks): void {
  let response: ToolResponseView;
  try {
    response = responseOf(isResponse(output) ? output : { result: output });
  } catch (error) {
    return hooks.end(failure(errorText(error)));
  }
  const plain = (error: unknown): void => {
    hooks.notice(error);
    hooks.end(response);
  };
  try {
    const isPlain = !response.isError && response.modelContent === undefined;
    if (!isPlain || tool.toModelOutput === undefined) return hooks.end(response);
    const content = tool.toModelOutput({ toolCallId: context.toolCallId, input, output: response.result });
    Promise.resolve(content)
      .then((given) => hooks.end(Array.isArray(given) ? { ...response, modelContent: given } : response))
      .catch(plain);
  } catch (error) {
    plain(error);
  }
}

/** One execution of a tool: validation, the executor or its stand-in, and what the outcome looks like. */
import { isObject } from '../../machines/tools/compare.ts';
import { attempt } from './attempt.ts';
import type { SchemaIssue, SchemaLike, ToolContext, ToolResponseView, ToolSpec } from './types.ts';

/** What an executor that returns nothing has as its result. */
export const NO_RESULT = '<no result>';
/** Of what will not come any more: an outcome, an answer, a response. */
export const ABORTED = 'Tool execution aborted';

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

export const isResponse = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  isObject(value) && (value[RESPONSE] === true || value[FOREIGN_RESPONSE] === true);

export const errorText = (error: unknown): string =>
  attempt(
    () => (error instanceof Error ? error.message : String(error)),
    () => 'unknown error',
  );

export const failure = (text: string): ToolResponseView => ({ result: text, isError: true });

/** What the parts of an answer have in common, however it came: missing parts stay missing. */
export function responseOf(raw: unknown): ToolResponseView {
  const { result, isError, artifact, modelContent } = (isObject(raw) ? raw : {}) as Partial<ToolResponseView>;
  return {
    result: result === undefined ? NO_RESULT : result,
    isError: isError === true,
    ...(artifact === undefined ? {} : { artifact }),
    ...(Array.isArray(modelContent) ? { modelContent } : {}),
  };
}

const pathOf = ({ path }: SchemaIssue): string =>
  (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');

/** One line for all that a schema found. */
export const issuesText = (issues: readonly SchemaIssue[]): string =>
  `Invalid arguments: ${issues.map((one) => [pathOf(one), one.message].filter(Boolean).join(': ')).join('; ')}`;

/** What an execution needs of the tracker. */
export interface Hooks {
  /** Looked at once more right before the tool's own code: false, and nothing of it runs. */
  begin(): boolean;
  notice(error: unknown): void;
  end(outcome: ToolResponseView): void;
}

/**
 * Runs a tool. Everything that can happen within this call happens in it: the executor starts before it returns.
 *
 * What answers at once is not waited for: an executor that is aborted has two microtasks, and none is spent here.
 */
export async function execute(tool: ToolSpec, input: unknown, context: ToolContext, hooks: Hooks): Promise<void> {
  let outcome: ToolResponseView;
  try {
    const standard = (tool.parameters as Partial<SchemaLike> | null | undefined)?.['~standard'];
    const verdict = typeof standard?.validate === 'function' ? standard.validate(input) : { value: input };
    const checked = 'then' in verdict ? await verdict : verdict;
    const { issues } = checked;
    if (!hooks.begin()) throw new Error(ABORTED);
    if (issues !== undefined && tool.onInvalid === undefined) throw new Error(issuesText(issues));
    const value = issues === undefined ? checked.value : input;
    const output: unknown = await (issues === undefined
      ? tool.execute?.(value as never, context)
      : tool.onInvalid?.(input, context, issues));
    outcome = responseOf(isResponse(output) ? output : { result: output });
    try {
      if (!outcome.isError && outcome.modelContent === undefined && tool.toModelOutput !== undefined) {
        const call = { toolCallId: context.toolCallId, input: value, output: outcome.result };
        const modelContent = await tool.toModelOutput(call);
        if (Array.isArray(modelContent)) outcome = { ...outcome, modelContent };
      }
    } catch (error) {
      hooks.notice(error);
    }
  } catch (error) {
    outcome = failure(errorText(error));
  }
  hooks.end(outcome);
}

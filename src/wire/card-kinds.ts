/** How this window treats each method: one row a method, and whatever is in no row is not for this client. */
import type { JsonObject, RpcError } from './json.ts';
import type { Question } from './question.ts';

/** What the page knows of a session. */
export interface SessionFacts {
  /** This window hosts it. Default: all of them. */
  hosts(sid: string): boolean;
  /** It is what the person looks at. */
  isOnScreen(sid: string): boolean;
  /** The person interrupted it, and it has not begun anything new. */
  wasInterrupted(sid: string): boolean;
}

/** What is done with a question when it arrives. */
export type Arrival =
  | 'show'
  /** Answered at once, with nothing shown. */
  | { readonly answer: JsonObject }
  /** Done by the window itself; what it returns is the answer. */
  | { readonly act: () => JsonObject | Promise<JsonObject> }
  | { readonly decline: RpcError }
  /** Not for this client. */
  | false;

export interface CardKind {
  /** Its answer is in no draft, note or list once it has left, and nowhere at all once it is confirmed. */
  readonly secret?: boolean | undefined;
  /** `answer`, the default: acknowledged. `response`: a bare response frame, which nothing is heard of. */
  readonly form?: 'answer' | 'response' | undefined;
  /** Default: `show`. */
  arrive?(question: Question, facts: SessionFacts): Arrival;
}

export type CardKinds = Readonly<Record<string, CardKind>>;

const NOT_HERE: RpcError = Object.freeze({ code: -32004, message: 'this session is not shown in this window' });

/** A window that does not show the session never answers, not even late: another one does. */
export interface WindowKindOptions {
  /** It acts only on what the person looks at; in a background session it says so instead. */
  readonly onScreenOnly?: boolean | undefined;
}

/** A request that the window fulfils by itself: `terminal.read`, `preview.act`, `tour` and their kind. */
export function windowKind(
  act: (question: Question) => string | Promise<string>,
  { onScreenOnly = false }: WindowKindOptions = {},
): CardKind {
  return {
    arrive(question, facts) {
      const sid = question.sessionId;
      if (!facts.hosts(sid)) return { decline: NOT_HERE };
      if (onScreenOnly && !facts.isOnScreen(sid)) {
        const error = 'This session is in the background. It can act when the person looks at it.';
        return { answer: { value: JSON.stringify({ success: false, error }) } };
      }
      return { act: async () => ({ value: await act(question) }) };
    },
  };
}

/** A question to a person; one whose session was interrupted, or that asks nothing, is skipped at once. */
const clarify: CardKind = {
  arrive({ params, sessionId }, facts) {
    const questions = Array.isArray(params['questions']) ? params['questions'] : undefined;
    const asksNothing = questions === undefined ? !params['question'] : questions.length === 0;
    if (!asksNothing && !facts.wasInterrupted(sessionId)) return 'show';
    if (questions === undefined && params['question'] !== undefined) return { answer: { answer: '' } };
    const qids = (questions ?? []).map((one) => String((one as JsonObject)['qid']));
    return { answer: { answers: Object.fromEntries(qids.map((qid) => [qid, null])) } };
  },
};

const SECRETS = ['sudo', 'secret', 'vault.unlock_prompt', 'vault.save_login', 'vault.code', 'display.install.sudo'];

/** The methods of requests.md 2.3 that are put to a person. Those that a window fulfils are the page's own to add. */
export const personKinds: CardKinds = Object.freeze({
  clarify,
  setup_choose: {},
  approval: {},
  'mcp.setup': {},
  ...Object.fromEntries(SECRETS.map((method) => [method, { secret: true }])),
});

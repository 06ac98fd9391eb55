/** What a person's word does: which entries it is for, and when it is for none. */
import { heed } from '../../machines/shared/heed.ts';
import type { Author } from '../api.ts';
import { RpcRefusal } from '../wire/errors.ts';
import type { RowChange } from './api.ts';
import type { Approval } from './approval-entry.ts';
import { isChoice } from './approval-input.ts';
import type { ApprovalQueue } from './approval-queue.ts';
import { Section, type Sections } from './approval-section.ts';
import type { ApprovalsOptions, ResolveOptions, RespondParams } from './approval-types.ts';
import type { Log } from './log.ts';

type Refusal = 'nothing' | 'unknown' | 'not_offered' | 'drifted';
export type Decision = { readonly count: number; readonly why?: Refusal };

interface Means {
  readonly queue: ApprovalQueue;
  readonly sections: Sections;
  readonly log: Log;
  readonly hide: (text: string) => string;
  readonly keyOf: ApprovalsOptions['keyOf'];
}

export class Decisions {
  readonly #means: Means;

  constructor(means: Means) {
    this.#means = means;
  }

  decide(key: string, choice: string, options: ResolveOptions = {}): Decision {
    const { all = false, reason, requestId, digest, author } = options;
    const { queue, sections, hide } = this.#means;
    if (requestId !== undefined && typeof requestId !== 'string') return { count: 0, why: 'unknown' };
    const entries = queue.entries(key);
    const named = requestId === undefined ? entries[0] : queue.entry(key, requestId);
    if (named === undefined) {
      // A stale card must not approve what nobody saw on it, with `all` neither.
      if (requestId !== undefined) this.#audit('approval_unknown_answer', requestId, author);
      return { count: 0, why: requestId === undefined ? 'nothing' : 'unknown' };
    }
    if (!isChoice(choice)) return { count: 0, why: 'not_offered' };
    if (digest !== undefined && digest !== named.asked.view.digest) {
      this.#audit('approval_drifted', named.asked.id, author);
      return { count: 0, why: 'drifted' };
    }
    const section = new Section();
    const said = { author, reason: reason === undefined ? undefined : hide(reason) };
    // A word for yes in another spelling may be a no: only true itself is for all.
    const targets = all === true ? entries : [named];
    const ended = targets.filter((entry) => queue.end(section, entry, { type: 'RESOLVE', choice }, said));
    if (ended.length === 0) return { count: 0, why: 'not_offered' };
    sections.commit(section);
    return { count: ended.length };
  }

  /** Takes note of an answer that means nothing here; a ledger that fails makes no difference to that. */
  #audit(event: string, id: string, author: Author | undefined): void {
    const { log, hide, sections } = this.#means;
    const shown = hide(id.slice(0, 64));
    log.say('warn', `an answer to approval ${shown} was refused (${event})`);
    const change: RowChange = {
      kind: 'approval',
      id: `audit:${shown}`,
      row: undefined,
      note: { event, author, detail: shown },
    };
    log.guard('the audit of an answer', () => {
      const section = new Section();
      section.change(change);
      sections.commit(section);
    });
  }

  /** `approval.respond`: a window may still know a session by a name that it no longer has. */
  respond(params: RespondParams, author: Author | undefined): { readonly resolved: number } {
    const { sid, request_id: requestId, choice = 'deny', all = false, digest, reason } = params;
    if (typeof sid !== 'string') throw new RpcRefusal('missing_id', 'session_id is missing');
    if (!isChoice(choice)) throw new RpcRefusal('bad_answer', 'choice must be once, session, always or deny');
    const key = this.#keyFor(sid, requestId);
    if (key === undefined) throw new RpcRefusal('no_session');
    const { count, why } = this.decide(key, choice, { all, requestId, digest, reason, author });
    if (why === 'not_offered') throw new RpcRefusal('bad_answer', 'this choice was not offered');
    if (why === 'drifted') throw new RpcRefusal('bad_answer', 'what was answered is not what is pending');
    return { resolved: count };
  }

  #keyFor(sid: string, requestId: string | undefined): string | undefined {
    const { queue, keyOf } = this.#means;
    const byId = requestId === undefined ? undefined : queue.byId(requestId);
    const named = byId?.standing.role === 'entry' ? byId.asked : undefined;
    // One window may show the cards of two keys: which of them is meant the request says.
    const host: unknown = keyOf?.(sid);
    heed(host, () => undefined);
    const shown = named?.view.session_id === sid ? named.key : this.#keyShownAs(sid);
    const live = typeof host === 'string' ? host : shown;
    if (live !== undefined) return live;
    if (named !== undefined) return named.key;
    return queue.size(sid) > 0 ? sid : undefined;
  }

  #keyShownAs(sid: string): string | undefined {
    const { queue } = this.#means;
    const shows = ({ asked }: Approval): boolean => asked.view.session_id === sid;
    return queue.keys().find((key) => queue.entries(key).some(shows));
  }
}

/** What the process asks that is killed, and the one after it again. */
import type { SendOptions } from '../../src/requests/api.ts';
import type { ApprovalRequest } from '../../src/requests/approval-types.ts';
import type { JsonObject } from '../../src/wire/json.ts';

export const SID = 'session-1';

export type Sent = [method: string, sid: string, params: JsonObject, options: SendOptions];

const question = (qid: string) => ({ qid, question: `${qid}?`, choices: null, multi_select: false });

/** Two questions, of which one is a ticket of the journal; a request that ends unanswered; one that is taken back. */
export const ASKED: Readonly<Record<'ticketed' | 'late' | 'back', Sent>> = {
  ticketed: [
    'clarify',
    SID,
    { questions: [question('pa-q1'), question('q2')] },
    { timeoutMs: null, qids: ['pa-q1', 'q2'], key: 'ticketed' },
  ],
  late: ['vault.code', SID, {}, { timeoutMs: 20, key: 'late' }],
  back: ['mcp.setup', SID, { server: {}, consent: 'ok?' }, { timeoutMs: null, key: 'back' }],
};

const approval = (approvalId: string): ApprovalRequest => ({
  sid: SID,
  command: `run ${approvalId}`,
  approvalId,
  timeoutMs: null,
});
export const APPROVALS = { card: approval('card'), never: approval('never') } as const;

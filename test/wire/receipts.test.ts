import { describe, expect, it } from 'vitest';
import type { Peer } from '../../src/requests/api.ts';
import type { AnswerVerdict } from '../../src/wire/question-types.ts';
import { Gateway, type GatewayOptions, windowOn } from './gateway.ts';

/** A window whose answer arrived, and whose connection was cut before the reply to it came. */
function lostReceipt(options: GatewayOptions = {}) {
  const gateway = new Gateway({ attaches: ['s'], ...options });
  const channel = windowOn(gateway);
  const verdicts: AnswerVerdict[] = [];
  channel.onRequest('*', (question) => {
    void question.answer({ answer: 'this' }).then((verdict) => void verdicts.push(verdict));
  });
  channel.open();
  gateway.line.flush('down');
  gateway.line.flush('up');
  const settled = gateway.ask('s');
  gateway.line.flush('down');
  gateway.line.flush('up');
  const opened = gateway.line.number;
  gateway.line.cut();
  /** Connected anew: everything that either end has to say arrives. */
  const again = async (): Promise<void> => {
    channel.hurry();
    expect(gateway.line.number).toBe(opened + 1);
    while (gateway.line.flush('down') + gateway.line.flush('up') > 0) await Promise.resolve();
    await Promise.resolve();
  };
  return { gateway, verdicts, settled, again };
}

describe('an answer whose receipt was lost with its connection', () => {
  it('[B2][G7][RQ-R105][RQ-I27] is told ok on the next one, and has settled once', async () => {
    const { gateway, verdicts, settled, again } = lostReceipt();
    expect(verdicts).toEqual([]);
    await again();
    expect(verdicts).toEqual([{ status: 'ok', reply: { status: 'ok' } }]);
    expect(await settled).toMatchObject({ kind: 'answered', result: { answer: 'this' } });
    const given = gateway.heard.filter(({ frame }) => frame['method'] === 'request.answer');
    expect(given.map(({ line }) => line)).toEqual([1, 2]);
  });

  it('[RQ-R39][RQ-R105] is not known when the new connection may not answer for the session', async () => {
    let isAllowed = true;
    const mayAccess = (_sid: string, _peer: Peer | undefined): boolean => isAllowed;
    const { verdicts, again } = lostReceipt({ registry: { mayAccess } });
    isAllowed = false;
    await again();
    expect(verdicts).toEqual([{ status: 'unknown', why: 'unknown' }]);
  });
});

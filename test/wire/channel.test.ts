import { describe, expect, it } from 'vitest';
import { CallLost, CallRefused } from '../../src/wire/calls.ts';
import type { QuestionOwner } from '../../src/wire/question-types.ts';
import { Hand } from './hand.ts';

const taken = (hand: Hand, owner: QuestionOwner = {}): string[] => {
  const ids: string[] = [];
  hand.channel.onRequest('*', ({ id }) => {
    ids.push(id);
    return owner;
  });
  return ids;
};

describe('calls', () => {
  it('[RQ-R130] are rejected when the connection ends, and questions are not', async () => {
    const hand = new Hand().greet();
    taken(hand);
    hand.ask('srq-1');
    const call = hand.channel.call('slow');
    hand.cut();
    await expect(call).rejects.toThrow(CallLost);
    await expect(hand.channel.call('any')).rejects.toThrow('no connection');
    expect(hand.channel.question('srq-1')?.state).toBe('detached');
    hand.channel.close();
    await expect(hand.channel.call('any')).rejects.toThrow(CallLost);
  });

  it('tell a refusal with its code, and what is too large', async () => {
    const hand = new Hand({ limits: { frameBytes: 4_096, queued: 1 } });
    hand.channel.open();
    const queued = hand.channel.call('queued');
    await expect(hand.channel.call('too many')).rejects.toThrow(CallLost);
    hand.greet();
    hand.refuse('queued', 4001);
    await expect(queued).rejects.toMatchObject({ name: 'CallRefused', code: 4001 });
    await expect(queued).rejects.toThrow(CallRefused);
    await expect(hand.channel.call('m', { a: 'x'.repeat(4_096) })).rejects.toThrow(RangeError);
  });

  it('that are swallowed cost the connection', async () => {
    const hand = new Hand({ patienceMs: 1_000 }).greet();
    // What nothing depends on may stay without a reply.
    hand.runtime.advance(60_000);
    expect(hand.channel.state.state).toBe('ready');
    const call = hand.channel.call('slow').catch((error: Error) => error.message);
    hand.runtime.advance(1_000);
    expect(await call).toContain('was not replied to');
    expect(hand.channel.state.state).toBe('lost');
  });
});

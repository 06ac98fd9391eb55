import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AskView, CardState } from '../../src/api.ts';
import { run } from '../../src/cli/program.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli, type HandIo, handIo, until } from './hand-io.ts';

let host: FakeHost;

beforeEach(async () => {
  host = await fakeHost();
});

afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

/** Starts an ask and waits until its card is there. */
async function asking(
  argv: readonly string[],
  io: HandIo = handIo(host.home),
): Promise<{ io: HandIo; ask: AskView; done: Promise<number> }> {
  const before = host.asks.size;
  const done = run(io, ['ask', ...argv]);
  const ask = await until('the card', () => (host.asks.size > before ? [...host.asks.values()].at(-1) : undefined));
  return { io, ask, done };
}

describe('ask', () => {
  it('prints the ids that were chosen and the text, one a line, and nothing else; then it acks', async () => {
    const { io, ask, done } = await asking([
      'Which?',
      '--option',
      'a=A',
      '--option',
      'b=B::second',
      '--multi',
      '--text',
      '--header',
      'Pick',
      '--from',
      'ci',
    ]);
    expect(ask).toMatchObject({ question: 'Which?', header: 'Pick', from: 'ci', multiSelect: true, freeText: true });
    host.answerNow(ask.askId, { selected: ['a', 'b'], text: 'and שלום' });
    expect(await done).toBe(0);
    expect(io.written).toEqual({ out: 'a\nb\nand שלום\n', err: '' });
    expect(host.acked).toEqual([host.asks.get(ask.askId)?.answers[0]?.token]);
  });

  it('[A2] does not ack an answer that it could not print', async () => {
    const io = handIo(host.home);
    io.broken = true;
    const { ask, done } = await asking(['Which?'], io);
    host.answerNow(ask.askId, { text: 'lost?' });
    expect(await done).toBe(1);
    expect(host.acked).toEqual([]);
  });

  it('a decline is no answer: nothing on stdout, exit code 10', async () => {
    const { io, ask, done } = await asking(['Which?']);
    host.answerNow(ask.askId, { declined: true });
    expect(await done).toBe(10);
    expect(io.written.out).toBe('');
    expect(host.acked).toHaveLength(1);
  });

  it.each<[CardState, number]>([
    ['withdrawn', 14],
    ['expired', 12],
    ['superseded', 15],
  ])('[G4] says that it was %s, with an exit code of its own', async (state, code) => {
    const { io, ask, done } = await asking(['Which?', '--timeout', '2500ms']);
    host.change(ask.askId, { state, why: 'as it was' }, state);
    expect(await done).toBe(code);
    expect(io.written.out).toBe('');
    expect(io.written.err).toContain('as it was');
  });

  it('leaves a question open when its own time is up, and says how to wait for it', async () => {
    const { io, ask, done } = await asking(['Which?', '--timeout', '200ms']);
    expect(await done).toBe(11);
    expect(io.written.out).toBe('');
    expect(io.written.err).toContain(`readback ask --await ${ask.askId}`);
    expect(host.asks.get(ask.askId)?.state).toBe('open');
  });

  it('waits for an ask that is on file', async () => {
    const ask = host.put({ question: 'Earlier?' });
    const io = handIo(host.home);
    const done = run(io, ['ask', '--await', ask.askId.slice(0, 12)]);
    await until('the wait', () => host.seen.some((one) => one.endsWith('/await')));
    host.answerNow(ask.askId, { text: 'late' });
    expect(await done).toBe(0);
    expect(io.written.out).toBe('late\n');
    expect((await cli(host.home, ['ask', 'Both?', '--await', ask.askId])).code).toBe(2);
  });

  it('[I13] ends at once as undeliverable where nothing can show it, and gives the link', async () => {
    host.pages = 0;
    const ran = await cli(host.home, ['ask', 'Which?']);
    expect(ran).toMatchObject({ code: 13, out: '' });
    expect(ran.err).toContain('?token=');
  });

  it.runIf(process.platform === 'linux')('opens the page first when none is open and a display is there', async () => {
    host.pages = 0;
    const opened = join(host.home, 'opened');
    writeFileSync(join(host.home, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${host.home}:${process.env.PATH}`);
    const io = { ...handIo(host.home), env: { READBACK_HOME: host.home, DISPLAY: ':0' } };
    const done = run(io, ['ask', 'Which?', '--open']);
    await until('the browser', () => existsSync(opened) && readFileSync(opened, 'utf8').endsWith('\n'));
    const file = readFileSync(opened, 'utf8').trim();
    expect(file).toBe(join(host.home, 'open.html'));
    expect(readFileSync(file, 'utf8')).toContain(`url=${host.url}/?token=${host.token}"`);
    expect(host.asks.size).toBe(0);
    host.pages = 1;
    const [ask] = await until('the card', () => (host.asks.size > 0 ? [...host.asks.values()] : undefined));
    host.answerNow((ask as AskView).askId, { text: 'this' });
    expect(await done).toBe(0);
    expect(io.written.out).toBe('this\n');
  });

  it('[F1] a host that closes cancels the call, not the question: it is waited for again', async () => {
    const { io, ask, done } = await asking(['Which?']);
    await until('the long wait', () => host.seen.some((one) => one.endsWith('/await')));
    host.cancelCalls();
    await until('the next wait', () => host.seen.filter((one) => one.endsWith('/await')).length > 1);
    host.answerNow(ask.askId, { text: 'after all' });
    expect(await done).toBe(0);
    expect(io.written.out).toBe('after all\n');
  });

  it('[F1] asks the next host when this one was closing and put nothing', async () => {
    host.closing = true;
    const io = handIo(host.home);
    const done = run(io, ['ask', 'Which?']);
    await until('the refusal', () => host.seen.includes('POST /api/asks'));
    expect(host.asks.size).toBe(0);
    host.closing = false;
    const [ask] = await until('the card', () => (host.asks.size > 0 ? [...host.asks.values()] : undefined));
    host.answerNow((ask as AskView).askId, { text: 'this' });
    expect(await done).toBe(0);
    expect(host.asks.size).toBe(1);
  });

  it('does not ask twice when the host broke off before it told the id', async () => {
    const io = handIo(host.home);
    const done = run(io, ['ask', 'Which?']);
    await until('the card', () => host.asks.size > 0);
    const before = host;
    host = await fakeHost({ home: host.home });
    await before.close();
    host.writeHostFile();
    expect(await done).toBe(3);
    expect(io.written.err).toContain('readback list');
    expect(host.asks.size).toBe(0);
  });

  it('[F1] joins the next host when this one is gone', async () => {
    const { io, ask, done } = await asking(['Which?']);
    await until('the long wait', () => host.seen.some((one) => one.endsWith('/await')));
    const next = await fakeHost({ home: host.home });
    next.asks.set(ask.askId, ask);
    const home = host;
    host = next;
    // Closing removes host.json, as a host does; the next one has written its own by then.
    await home.close();
    next.writeHostFile();
    await until('the wait at the next host', () => next.seen.some((one) => one.endsWith('/await')));
    next.answerNow(ask.askId, { text: 'here' });
    expect(await done).toBe(0);
    expect(io.written.out).toBe('here\n');
  });

  it('leaves the question open when it is interrupted', async () => {
    const { io, ask, done } = await asking(['Which?']);
    await until('the long wait', () => host.seen.some((one) => one.endsWith('/await')));
    io.interrupt();
    expect(await done).toBe(14);
    expect(io.written.err).toContain(ask.askId);
    expect(host.asks.get(ask.askId)?.state).toBe('open');
  });

  it('reads a long question from stdin, and gives the whole outcome as JSON', async () => {
    const io = handIo(host.home);
    io.stdinBytes = Buffer.from('line one\nline two\n');
    const { ask, done } = await asking(['-', '--json'], io);
    expect(ask.question).toBe('line one\nline two');
    host.answerNow(ask.askId, { text: 'x' });
    expect(await done).toBe(0);
    expect(JSON.parse(io.written.out)).toMatchObject({ outcome: 'answered', askId: ask.askId, reply: { text: 'x' } });
    expect(host.acked).toHaveLength(1);
  });

  it('escapes the answer where a person reads it, and nowhere else', async () => {
    const io = handIo(host.home, { tty: true });
    const { ask, done } = await asking(['Which?'], io);
    host.answerNow(ask.askId, { text: '\u001b[2J' });
    expect(await done).toBe(0);
    expect(io.written.out).toBe('\\x1b[2J\n');
  });

  it.each([
    [['ask'], 'question'],
    [['ask', ' '], 'question'],
    [['ask', 'Which?', '--option', 'a', '--option', 'a'], '--option'],
    [['ask', 'Which?', '--timeout', 'soon'], '--timeout'],
    [['ask', 'Which?', '--expires', '-1'], '--expires'],
  ])('refuses %j before anything is asked', async (argv, field) => {
    const ran = await cli(host.home, argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(field);
    expect(host.asks.size).toBe(0);
  });
});

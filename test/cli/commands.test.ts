import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { run } from '../../src/cli/program.ts';
import { SIZES } from '../../src/limits.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli, handIo, steers, until } from './hand-io.ts';

const CARD = {
  options: [
    { id: 'yes', label: 'Ship it' },
    { id: 'no', label: 'Hold' },
  ],
  freeText: false,
} as const;
let host: FakeHost;

beforeEach(async () => {
  host = await fakeHost();
});

afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

/** Nothing was submitted and nothing is different. */
function untouched(...asks: AskView[]): void {
  expect(host.seen.filter((one) => one.startsWith('POST'))).toEqual([]);
  for (const ask of asks) expect(host.asks.get(ask.askId)).toEqual(ask);
}

describe('answer', () => {
  it('saves the chosen option of the ask with this id', async () => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    const ran = await cli(host.home, ['answer', ask.askId, '--option', 'yes']);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('accepted');
    expect(ran.out).toContain('saved');
    expect(host.asks.get(ask.askId)?.answers[0]?.reply).toEqual({ selected: ['yes'] });
  });

  it('takes an id cut to what is unique, in any case, with and without its prefix', async () => {
    const ask = host.put({ question: 'Ship?', askId: 'pa-3f9c2a11-0000-4000-8000-000000000000' });
    host.put({ question: 'Other?', askId: 'pa-3f9d0000-0000-4000-8000-000000000000' });
    for (const id of ['3f9c', 'pa-3f9c2', 'PA-3F9C2A']) {
      expect((await cli(host.home, ['show', id, '--json'])).out).toContain(ask.askId);
    }
  });

  it('[C1] refuses an id that could be several', async () => {
    const a = host.put({ question: 'First?', askId: 'pa-3f9c2a11-0000-4000-8000-000000000000' });
    const b = host.put({ question: 'Second?', askId: 'pa-3f9c2b22-0000-4000-8000-000000000000' });
    const ran = await cli(host.home, ['answer', '3f9c2', '--text', 'yes']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(a.askId);
    expect(ran.err).toContain(b.askId);
    untouched(a, b);
  });

  it('[C1] counts finished asks too: a short id never moves on to the next question', async () => {
    const done = host.put({ question: 'First?', askId: 'pa-3f9c2a11-0000-4000-8000-000000000000', state: 'answered' });
    const next = host.put({ question: 'Second?', askId: 'pa-3f9c2b22-0000-4000-8000-000000000000' });
    expect((await cli(host.home, ['answer', '3f9c2', '--text', 'yes'])).code).toBe(2);
    untouched(done, next);
  });

  it.each([
    ['a bare word', ['answer', 'yes']],
    ['a text without an id', ['answer', '--text', 'yes']],
    ['an option without an id', ['answer', '--option', 'yes']],
    ['a number of the list', ['answer', '1', '--text', 'yes']],
    ['words of the question', ['answer', 'Ship?', '--text', 'yes']],
    ['nothing', ['answer']],
  ])('[C7] [C13] refuses %s, though one ask alone is open', async (_what, argv) => {
    const ask = host.put({ question: 'Ship?', askId: 'pa-1e2c2a11-0000-4000-8000-000000000000', ...CARD });
    const ran = await cli(host.home, argv);
    expect([2, 18]).toContain(ran.code);
    expect(ran.err).toContain('ID');
    untouched(ask);
  });

  it('[C7] refuses a bare word after the id, and says how to write it', async () => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    const ran = await cli(host.home, ['answer', ask.askId, 'yes', 'please']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('--text "yes please"');
    untouched(ask);
  });

  it('[G6] says unknown for an unknown id, and never success', async () => {
    const ran = await cli(host.home, ['answer', 'pa-00000000-dead-4000-8000-000000000000', '--text', 'yes']);
    expect(ran).toMatchObject({ code: 18, out: '' });
    expect(ran.err).toContain('unknown');
  });

  it.each(['', '.', '..', ' '])('[G6] %j names no ask, and leads to no other path of the host', async (id) => {
    for (const argv of [
      ['show', id],
      ['answer', id, '--text', 'x'],
      ['withdraw', id, '--reason', 'x'],
      ['log', '--ask', id],
      ['ask', '--await', id],
    ]) {
      const ran = await cli(host.home, argv);
      expect([argv[0], ran.code, ran.out]).toEqual([argv[0], 18, '']);
      expect(ran.err).toContain('is unknown');
    }
    expect(host.seen.filter((one) => !one.endsWith('/api/health'))).toEqual([]);
  });

  it('says where it looked for an unknown id, and its remedy shows what is there', async () => {
    const gone = host.put({ question: 'Moot?', state: 'withdrawn', why: 'solved' });
    const { err } = await cli(host.home, ['show', '00000000']);
    expect(err).toContain('no open ask and none of the latest 1000 others has an id like it');
    expect(err).toContain('readback list --recent');
    const { out } = await cli(host.home, ['list', '--recent']);
    const short = out.match(/^(pa-[0-9a-f]+) /m)?.[1] ?? '';
    expect(gone.askId.startsWith(short)).toBe(true);
    expect((await cli(host.home, ['show', short])).out).toContain('withdrawn: solved');
  });

  it('[G7] a repeat of the same answer is a success with the same receipt', async () => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    const first = await cli(host.home, ['answer', ask.askId, '--option', 'yes', '--json']);
    const again = await cli(host.home, ['answer', ask.askId, '--option', 'yes', '--json']);
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(JSON.parse(again.out)).toMatchObject({ verdict: 'duplicate', token: JSON.parse(first.out).token });
  });

  it('[B1] another answer gets conflict, with what is on file', async () => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    await cli(host.home, ['answer', ask.askId, '--option', 'yes']);
    const ran = await cli(host.home, ['answer', ask.askId, '--option', 'no']);
    expect(ran).toMatchObject({ code: 17, out: '' });
    expect(ran.err).toContain('on file: yes');
  });

  it('[F7] an answer to a card that was taken back is refused loudly', async () => {
    const ask = host.put({ question: 'Ship?', state: 'withdrawn' });
    expect(await cli(host.home, ['answer', ask.askId, '--text', 'yes'])).toMatchObject({ code: 14, out: '' });
  });

  it.each([
    [
      'two choices',
      ['--option', 'yes', '--option', 'no'],
      '--option',
      'this question takes one choice, and 2 were given',
    ],
    ['a choice twice', ['--option', 'no', '--option', 'no'], '--option', '"no" is given twice'],
    ['a text', ['--text', 'later'], '--text', 'this question takes no text of your own'],
  ])('%s: what the question does not take is refused in the words of a shell', async (_what, flags, field, reason) => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    const ran = await cli(host.home, ['answer', ask.askId, ...flags]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(`${field}: ${reason}`);
    expect(ran.err).toContain('nothing was saved');
    untouched(ask);
  });

  it.each([
    ['an option that was not offered', ['--option', 'maybe'], undefined, '--option'],
    ['a label instead of an id', ['--option', 'Ship it'], undefined, '--option'],
    ['an empty text', ['--text', ''], undefined, '--text'],
    ['a text of blanks', ['--text', ' \n '], undefined, '--text'],
    ['an empty stdin', ['--text', '-'], '', '--text'],
    ['no answer at all', [], undefined, '--option'],
    ['a text of 1 MB', ['--text', '-'], 'x'.repeat(1_048_576), '--text'],
    ['bytes that are no text', ['--text', '-'], Uint8Array.of(0xed, 0xa0, 0x80), '--text'],
    ['yes and no at once', ['--option', 'yes', '--decline'], undefined, '--decline'],
  ])('refuses %s, naming the field, and changes nothing', async (_what, flags, stdin, field) => {
    const ask = host.put({ question: 'Ship?', ...CARD, freeText: true });
    const plain = await cli(host.home, ['answer', ask.askId, ...flags], stdin);
    expect(plain).toMatchObject({ code: 2, out: '' });
    expect(plain.err).toContain(field);
    const asJson = await cli(host.home, ['answer', ask.askId, ...flags, '--json'], stdin);
    expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: 'usage', field } });
    untouched(ask);
  });

  it('names the id of the option whose label was typed', async () => {
    const ask = host.put({ question: 'Ship?', ...CARD });
    expect((await cli(host.home, ['answer', ask.askId, '--option', 'ship it'])).err).toContain('has the id yes');
  });

  it.each(['שלום עולם', '👩‍👩‍👧 ok 🎉', 'a\n\nb', 'x'.repeat(SIZES.answerText)])(
    '[I9] carries the whole text, whatever it is made of',
    async (text) => {
      const ask = host.put({ question: 'What?' });
      expect((await cli(host.home, ['answer', ask.askId, '--text', '-'], text)).code).toBe(0);
      expect(host.asks.get(ask.askId)?.answers[0]?.reply.text).toBe(text);
    },
  );

  it('declines', async () => {
    const ask = host.put({ question: 'What?' });
    expect((await cli(host.home, ['answer', ask.askId, '--decline'])).code).toBe(0);
    expect(host.asks.get(ask.askId)?.answers[0]?.reply).toEqual({ declined: true });
  });
});

describe('list, show, withdraw, log', () => {
  it('lists what is open with age, asker, state and choices, and the way to answer', async () => {
    const ask = host.put({
      question: 'Ship 1.4?',
      header: 'Deploy',
      from: 'claude',
      openedAt: Date.now() - 190_000,
      ...CARD,
    });
    const { out, code } = await cli(host.home, ['list']);
    expect(code).toBe(0);
    for (const part of [
      ask.askId.slice(0, 9),
      '3 min ago',
      'claude',
      'open, awaited',
      '[Deploy] Ship 1.4?',
      'yes / no',
      '--option yes',
    ]) {
      expect(out).toContain(part);
    }
  });

  it('shows the receipt of each recent answer, or why there is none', async () => {
    const read = host.put({ question: 'First?' });
    host.answerNow(read.askId, { text: 'one' });
    const answer = host.asks.get(read.askId)?.answers[0];
    host.change(
      read.askId,
      { answers: [{ ...(answer as NonNullable<typeof answer>), receipt: 'parked', why: 'shown three times' }] },
      'parked',
    );
    host.change(host.put({ question: 'Second?' }).askId, { state: 'withdrawn', why: 'not needed' }, 'withdrawn');
    const { out } = await cli(host.home, ['list', '--recent']);
    expect(out).toMatch(/parked: shown three times +one · First\?/);
    expect(out).toMatch(/withdrawn +no answer: not needed · Second\?/);
    expect((await cli(host.home, ['show', read.askId])).out).toContain('kept on file');
  });

  it('escapes whatever could drive the terminal, in every place where it can stand', async () => {
    const evil = '\u001b[2J\u0007\u202e';
    const ask = host.put({
      question: evil,
      header: evil,
      from: evil,
      tab: evil,
      options: [{ id: evil, label: evil, description: evil }],
    });
    host.change(ask.askId, { why: evil }, evil);
    host.audit.push({ id: 9, at: 0, event: evil, tab: evil, surface: evil, who: evil, detail: evil });
    for (const argv of [
      ['list'],
      ['show', ask.askId],
      ['log'],
      ['answer', ask.askId, '--option', 'x'],
      ['show', evil],
    ]) {
      const { out, err } = await cli(host.home, argv);
      expect([argv[0], steers(out + err)]).toEqual([argv[0], false]);
      expect(out + err).toContain('\\x1b[2J');
    }
  });

  it('gives one JSON document, with the text as it is', async () => {
    const ask = host.put({ question: '\u001b[2J שלום', from: 'agent' });
    expect(JSON.parse((await cli(host.home, ['list', '--json'])).out)).toEqual({ asks: [ask] });
    expect(JSON.parse((await cli(host.home, ['--json', 'show', ask.askId])).out)).toEqual(ask);
    expect(JSON.parse((await cli(host.home, ['log', '--json'])).out).rows).toHaveLength(1);
    const refusal = await cli(host.home, ['show', 'nowhere', '--json']);
    expect(JSON.parse(refusal.err)).toMatchObject({ error: { code: 'unknown', field: 'ID' } });
    expect(JSON.parse((await cli(host.home, ['list', '--nonsense', '--json'])).err)).toMatchObject({
      error: { code: 'usage' },
    });
  });

  it('follows: what is open first, then each change, as a surface only where a person reads', async () => {
    const first = host.put({ question: 'First?' });
    const io = handIo(host.home);
    const running = run(io, ['list', '--follow', '--json', '--terminal']);
    await until('the stream', () => host.streams.size > 0);
    expect([...host.streams.values()]).toEqual(['terminal']);
    await until('the opening list', () => io.written.out.includes(first.askId));
    host.answerNow(first.askId, { text: 'done' });
    await until('the change', () => io.written.out.includes('"answered"'));
    io.interrupt();
    expect(await running).toBe(0);
    const lines = io.written.out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { cause: string; ask: AskView });
    expect(lines.map(({ cause, ask }) => [cause, ask.state])).toEqual([
      ['listed', 'open'],
      ['answered', 'answered'],
    ]);
    await until('the end of the stream', () => host.streams.size === 0);
    const piped = handIo(host.home);
    const second = run(piped, ['list', '--follow']);
    await until('the second stream', () => host.streams.size > 0);
    expect([...host.streams.values()]).toEqual([null]);
    piped.interrupt();
    expect(await second).toBe(0);
  });

  it('follows for a person: a new card whole and once, then one line for each step that the answer comes further', async () => {
    const io = handIo(host.home, { tty: true });
    const running = run(io, ['list', '--follow']);
    await until('the opening list', () => io.written.out.includes('Nothing is open'));
    const { askId } = host.put({ question: 'Ship?', ...CARD });
    host.change(askId, {}, 'opened');
    host.change(askId, { awaited: false }, 'closed');
    host.answerNow(askId, { selected: ['yes'] });
    const answer = host.asks.get(askId)?.answers[0];
    host.change(askId, { answers: [{ ...(answer as NonNullable<typeof answer>), receipt: 'read_back' }] }, 'acked');
    await until('the receipt', () => io.written.out.includes('read back'));
    io.interrupt();
    expect(await running).toBe(0);
    const lines = io.written.out.split('\n');
    expect(lines.filter((text) => text.includes('Ship?'))).toHaveLength(1);
    expect(lines.filter((text) => text.includes(`readback answer ${askId.slice(0, 11)} --option yes`))).toHaveLength(1);
    expect(lines.filter((text) => /answered {2}(saved|read back)/.test(text))).toHaveLength(2);
  });

  it('[F10] follows on at the next host, and begins there with what is open', async () => {
    const io = handIo(host.home);
    const running = run(io, ['list', '--follow', '--json']);
    await until('the stream', () => host.streams.size > 0);
    const next = await fakeHost({ home: host.home });
    const ask = next.put({ question: 'Meanwhile?' });
    const before = host;
    host = next;
    await before.close();
    next.writeHostFile();
    await until('what was missed', () => io.written.out.includes(ask.askId));
    next.answerNow(ask.askId, { text: 'x' });
    await until('a change there', () => io.written.out.includes('"cause":"answered"'));
    io.interrupt();
    expect(await running).toBe(0);
    expect(io.written.err).toContain('waiting for the next one');
  });

  it('withdraws with a reason', async () => {
    const ask = host.put({ question: 'Ship?' });
    expect((await cli(host.home, ['withdraw', ask.askId])).code).toBe(2);
    expect((await cli(host.home, ['withdraw', ask.askId, '--reason', ' '])).code).toBe(2);
    untouched(ask);
    expect((await cli(host.home, ['withdraw', ask.askId, '--reason', 'found it'])).code).toBe(0);
    expect(host.asks.get(ask.askId)).toMatchObject({ state: 'withdrawn', why: 'found it' });
    expect((await cli(host.home, ['withdraw', ask.askId, '--reason', 'again'])).code).toBe(17);
  });

  it('says of what the log has nothing', async () => {
    expect((await cli(host.home, ['log'])).err).toBe('readback: the log is empty\n');
    const { askId } = host.put({ question: 'Ship?' });
    host.audit.length = 0;
    const about = await cli(host.home, ['log', '--ask', askId, '--after', '7']);
    expect(about).toMatchObject({ code: 0, err: `readback: the log has no row about ${askId} after number 7\n` });
    expect((await cli(host.home, ['log', '--after', '7'])).err).toContain('the log has no row after number 7');
  });

  it('shows in the log short ids that show takes, the question on one line, and columns that stay aligned', async () => {
    const ask = host.put({ question: 'Ship\n1.4?' });
    const ended = host.put({ question: 'Moot?' });
    host.change(ended.askId, { state: 'withdrawn' }, 'withdrawn');
    const row = { at: 0, surface: 'page', askId: ask.askId };
    host.audit.push({ ...row, id: 3, event: 'submission_late_accepted' }, { ...row, id: 4, event: 'closed' });
    host.audit.push({ id: 5, at: 0, event: 'opened', askId: 'pa-11111111-0000-4000-8000-000000000000', surface: 'x' });
    host.audit.push({ ...row, id: 6, event: 'awaited' }, { ...row, id: 7, event: 'unattended' });
    const { out } = await cli(host.home, ['log']);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(7);
    expect(new Set(lines.map((text) => text.indexOf('pa-'))).size).toBe(1);
    expect(new Set(lines.map((text) => text.indexOf('  by '))).size).toBe(1);
    expect(lines[2]).toContain('submission late accepted');
    expect(lines[2]).toContain('“Ship ⏎ 1.4?”');
    // A shell waits in slices: the end of the first is not the end of its waiting.
    expect(lines[3]).toContain('first wait ended');
    expect(lines[5]).toContain('waits again');
    expect(lines[6]).toContain('later wait ended');
    expect(out).not.toContain('closed');
    for (const [at, { question, askId }] of [ask, ended].entries()) {
      const id = /pa-[0-9a-f]+/.exec(lines[at] ?? '')?.[0] ?? '';
      expect(id.length).toBeLessThan(askId.length);
      expect(JSON.parse((await cli(host.home, ['show', id, '--json'])).out)).toMatchObject({ askId, question });
    }
    // What no list holds is found by its whole id alone.
    expect(lines[4]).toContain('pa-11111111-0000-4000-8000-000000000000');
  });

  it('follows the log from where it stands, row by row', async () => {
    host.put({ question: 'First?' });
    const io = handIo(host.home);
    const running = run(io, ['log', '--follow', '--json']);
    await until('the first row', () => io.written.out.includes('"id":1'));
    host.put({ question: 'Second?' });
    await until('the second row', () => io.written.out.includes('"id":2'));
    io.interrupt();
    expect(await running).toBe(0);
    expect(io.written.out.trim().split('\n')).toHaveLength(2);
  });
});

describe('without a host', () => {
  it.each([
    ['nothing is there', () => rmSync(`${host.home}/host.json`)],
    ['its process is dead', () => host.writeHostFile({ pid: 2 ** 22 + 1 })],
    ['its file is half written', () => host.writeHostFile({ token: undefined })],
    ['its file points away from this machine', () => host.writeHostFile({ url: 'http://192.0.2.1:80' })],
  ])('says how to start one when %s', async (_what, prepare) => {
    prepare();
    for (const argv of [['list'], ['show', 'pa-1234'], ['answer', 'pa-1234', '--text', 'x'], ['log'], ['stop']]) {
      const ran = await cli(host.home, argv);
      expect(ran).toMatchObject({ code: 3, out: '' });
      expect(ran.err).toContain('readback serve');
    }
    expect(host.seen).toEqual([]);
  });

  it('says that the token was refused, and does not print it', async () => {
    host.writeHostFile({ token: 'wrong-token-wrong-token' });
    const ran = await cli(host.home, ['list']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('token');
    expect(ran.err).not.toContain('wrong-token-wrong-token');
  });

  it('says that the host does not answer when its port is closed', async () => {
    host.writeHostFile({ url: 'http://127.0.0.1:1' });
    expect((await cli(host.home, ['list'])).code).toBe(3);
  });
});

describe('help', () => {
  const commands = ['serve', 'mcp', 'ask', 'list', 'show', 'answer', 'withdraw', 'log', 'doctor', 'stop'];

  it('names every command, and each has an example of its own', async () => {
    const { out, code } = await cli(host.home, ['--help']);
    expect(code).toBe(0);
    const [, table = ''] = /Commands:\n([\s\S]*?)\n\n/.exec(out) ?? [];
    const named = [...table.matchAll(/^ {2}([a-z]+) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    expect(named).toEqual(expect.arrayContaining(commands));
    for (const name of named) {
      const help = await cli(host.home, [name, '--help']);
      expect(help.code).toBe(0);
      expect(help.out).toMatch(new RegExp(`Example:\\n +.*readback ${name}`));
      expect(help.out).toContain('--json');
      expect(help.out).toContain('--home');
    }
  });

  it('tells an MCP client to run this very program, by whole paths', async () => {
    const io = handIo(host.home, { entry: '/a clone/dist/cli/main.js' });
    expect(await run(io, ['mcp', '--help'])).toBe(0);
    const told = /in the client: (.*)/.exec(io.written.out)?.[1] ?? '';
    const server = { command: process.execPath, args: ['/a clone/dist/cli/main.js', 'mcp'] };
    expect(JSON.parse(told)).toEqual({ mcpServers: { readback: server } });
    expect(io.written.out).not.toContain('npx');
  });

  it('prints its version, and refuses what it does not know', async () => {
    expect((await cli(host.home, ['--version'])).out).toMatch(/^\d+\.\d+\.\d+/);
    const unknown = await cli(host.home, ['frobnicate']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('readback --help');
    expect((await cli(host.home, ['list', '--frob'])).err).toContain('readback list --help');
    expect((await cli(host.home, ['list', '--frob'])).code).toBe(2);
    expect((await cli(host.home, ['list', '--limit', '0'])).code).toBe(2);
  });
});

import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { type Host, startHost } from '../../src/host/index.ts';
import type { Retirement } from '../../src/idle.ts';
import { isProvenIdle } from '../../src/idle-client.ts';
import { type FakeRig, fakeRig } from '../host/fake-coordinator.ts';
import { call, openAsk } from '../host/support.ts';
import { type HandLedger, ledger } from './support.ts';

interface Backend {
  readonly jobs: HandLedger;
  readonly rig: FakeRig;
  readonly host: Host;
  retirement: Retirement | undefined;
}

const pool = new Map<string, Backend>();
afterEach(async () => {
  for (const { host, rig } of pool.values()) {
    await host.close();
    await rig.close();
  }
  pool.clear();
});

function backend(name: string): Backend {
  const found = pool.get(name);
  if (found === undefined) throw new Error(`no backend "${name}" was started`);
  return found;
}

async function start(name: string): Promise<void> {
  const jobs = ledger('jobs', 'turn');
  const rig = fakeRig([jobs]);
  rig.asking.attachSurface({ kind: 'test', id: name });
  pool.set(name, { jobs, rig, host: await startHost({ coordinator: rig.asking }), retirement: undefined });
}

/** What one backend answers, in the words of the script: `true`, or `false <reason> <ledger> [<owners>]`. */
async function idle(name: string, words: string): Promise<string> {
  const reply = await call(backend(name).host, '/api/health/idle');
  expect(reply.status).toBe(200);
  expect(reply.headers['cache-control']).toBe('no-store');
  const body = reply.json<{ ok: true; idle: boolean | null; reason: string; detail?: Detail }>();
  if (body.idle === true) return 'true';
  const parts = [String(body.idle), body.reason, body.detail?.ledger, ...(body.detail?.owners ?? [])];
  return parts.slice(0, words.split(' ').length).join(' ');
}

interface Detail {
  readonly ledger: string;
  readonly owners?: string[];
}

async function mayGo(): Promise<string> {
  const names: string[] = [];
  for (const [name, { host }] of pool) if (await isProvenIdle(host.url, host.token)) names.push(name);
  return names.join(' ') || 'nobody';
}

/** An agent asks and hangs up: the question stays. */
async function ask(name: string): Promise<void> {
  const opened = await openAsk(backend(name).rig, { question: 'Ship?' });
  opened.hangUp();
  await opened.outcome;
}

async function answer(name: string): Promise<void> {
  const { rig } = backend(name);
  for (const { askId } of await rig.asking.list()) {
    await rig.asking.answer(askId, { text: 'yes' }, { surface: 'test' });
  }
}

const broken = (): never => {
  throw new Error('locked');
};

function tell(name: string, says: unknown): void {
  backend(name).jobs.says = says;
}

function prepare(name = ''): void {
  const one = backend(name);
  one.retirement = one.rig.proof.prepare();
}

const STEPS: readonly (readonly [RegExp, (...words: string[]) => unknown])[] = [
  [/^start (.+)$/, (names = '') => Promise.all(names.split(' ').map(start))],
  [
    /^jobs (\w+)(?: (.+))?$/,
    (name = '', jobs) => {
      const owners = jobs?.split(' ') ?? [];
      tell(name, { count: owners.length, owners });
    },
  ],
  [/^break (\w+)$/, (name = '') => tell(name, broken)],
  [/^mend (\w+)$/, (name = '') => tell(name, 0)],
  [/^ask (\w+)$/, ask],
  [
    /^ask (\w+) is refused: (\w+)$/,
    async (name = '', code) => {
      await expect(ask(name)).rejects.toMatchObject({ code });
      expect(await backend(name).rig.asking.list()).toEqual([]);
    },
  ],
  [/^answer (\w+)$/, answer],
  [/^idle (\w+): (.+)$/, async (name = '', words = '') => expect(await idle(name, words)).toBe(words)],
  [
    /^idle (\w+) without a token: (\d+)$/,
    async (name = '', status) => {
      const reply = await call(backend(name).host, '/api/health/idle', { token: null });
      expect(String(reply.status)).toBe(status);
      expect(reply.text).not.toMatch(/idle/i);
    },
  ],
  [
    /^idle of a port where nobody listens: busy$/,
    async () => expect(await isProvenIdle('http://127.0.0.1:9', 'none', { timeoutMs: 500 })).toBe(false),
  ],
  [/^may go: (.+)$/, async (names) => expect(await mayGo()).toBe(names)],
  [/^prepare (\w+)$/, prepare],
  [
    /^commit (\w+): (\w+)$/,
    async (name = '', said) => expect(String(await backend(name).retirement?.commit())).toBe(said),
  ],
];

test('[RQ-R142] [RQ-R148] scenario P, as it is written', async () => {
  const script = readFileSync(new URL('../scenarios/P.txt', import.meta.url), 'utf8').split('\n');
  const lines = script.map((text, at) => ({ text, at: at + 1 })).filter(({ text }) => !/^(?:#|$)/.test(text));
  expect(lines.length).toBeGreaterThan(30);
  for (const { text, at } of lines) {
    const [pattern, run] = STEPS.find(([one]) => one.test(text)) ?? [];
    if (pattern === undefined || run === undefined) throw new Error(`P.txt:${at}: "${text}" is no step`);
    try {
      await run(...(pattern.exec(text) ?? []).slice(1));
    } catch (cause) {
      throw new Error(`P.txt:${at}: ${text}: ${cause}`, { cause });
    }
  }
});

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defaultPack, generate } from '../../../src/contracts.ts';
import {
  BACKEND_EVENTS,
  type BackendGatewayEventMap,
  RPC_METHODS,
  type RpcMethods,
  SERVER_REQUESTS,
  type ServerRequestMap,
} from '../../../src/wire/generated/client.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const generated = join(root, 'src', 'wire', 'generated');
const run = promisify(execFile);

/** What a client registers, typed by the generated file alone. */
type Handlers = {
  [K in keyof ServerRequestMap]?: (params: ServerRequestMap[K]['params']) => ServerRequestMap[K]['result'];
};

/** The compiler is the judge of this one: `npm run typecheck` fails where an expected error is not there. */
function whatMustNotCompile(
  cancel: BackendGatewayEventMap['request.cancel'],
  lock: RpcMethods['clarify.lock']['result'],
) {
  const handlers: Handlers = {
    approval: (params) => ({ choice: params.choices.includes('once') ? 'once' : 'deny' }),
    // @ts-expect-error -- [RQ-R167] the contract has no such field
    clarify: (params) => ({ answers: { [params.questionText]: null } }),
    // @ts-expect-error -- [RQ-R167] the value of a secret is a text
    sudo: () => ({ value: null }),
  };
  // @ts-expect-error -- [RQ-R167] no such request
  const strange: Handlers = { nonesuch: () => ({}) };
  const reason: 'timeout' | 'interrupted' | 'shutdown' | 'resolved' | 'session_closed' = cancel.reason;
  // @ts-expect-error -- [RQ-R167] a result that expired has nothing remaining
  const remaining: string[] = lock.remaining;
  return { handlers, strange, reason, remaining };
}

describe('the generated client file', () => {
  it('[RQ-R167] types what a handler reads and returns', () => {
    const { handlers } = whatMustNotCompile({ id: '', method: '', reason: 'timeout' }, { status: 'expired' });
    expect(
      handlers.approval?.({ choices: ['once'], command: '', description: '', request_id: '', session_id: '' }),
    ).toEqual({
      choice: 'once',
    });
  });

  it('[RQ-R161] lists the names of the tables, sorted', () => {
    expect(RPC_METHODS).toEqual([...defaultPack.methods.keys()].sort());
    expect(SERVER_REQUESTS).toEqual([...defaultPack.requests.keys()].sort());
    expect(BACKEND_EVENTS).toEqual([...defaultPack.events.keys()].sort());
  });

  it('[RQ-R160] is up to date, and so is the document', () => {
    for (const [name, text] of Object.entries(generate(defaultPack))) {
      expect(readFileSync(join(generated, name), 'utf8') === text, `${name}: run npm run contracts`).toBe(true);
    }
  });

  it('[RQ-R160] --check names stale files, exits with 1 and writes nothing; without it they are written', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'readback-contracts-'));
    try {
      cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
      cpSync(join(root, 'package.json'), join(copy, 'package.json'));
      // Packages are found from where the copy lies, by a link to ours.
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      const script = join(copy, 'src', 'wire', 'contracts', 'main.ts');
      const file = join(copy, 'src', 'wire', 'generated', 'client.ts');
      const call = (...args: string[]) =>
        run(process.execPath, ['--import', 'tsx', script, ...args], { cwd: copy, timeout: 30_000 });
      writeFileSync(file, 'stale');
      await expect(call('--check')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('client.ts') });
      expect(readFileSync(file, 'utf8')).toBe('stale');
      await call();
      expect(readFileSync(file, 'utf8')).toBe(generate(defaultPack)['client.ts']);
      await expect(call('--check')).resolves.toMatchObject({ stderr: '' });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }, 90_000);
});

/**
 * The process of `readback conform` in which the module runs, so that one that hangs or ends everything ends this only.
 *
 * Called with the address of the module, the number of the first test, `whole` if no sequence is to be shortened, the
 * descriptor to which each step is told before it is taken, and the calls that are not to be made, with commas.
 * Speaks over the channel of its parent.
 */
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { CONFORM } from '../limits.ts';
import { nodeRuntime } from '../runtime.ts';
import { type Loaded, type Trial, trialsOf, tried } from './contracts.ts';
import { Untried } from './rules.ts';

/** What was said has left before a test runs that may never return. */
const say = (message: object): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

/** The test, what it does next, and which call that is; test -1: what is made while the module is loaded. */
function tell(at: number, step: string, call: string | null): void {
  try {
    // It has left when this returns, for the step itself may not.
    writeSync(Number(descriptor), `${JSON.stringify([at, step.slice(0, CONFORM.text), call])}\n`);
  } catch {
    // Nobody reads any more; there is nobody to tell that to.
  }
}

/** `ack` of `ack("aa1")` and of `{"do":"ack"}`; what is set in tells of what the subject does. */
const callOf = (step: string): string | null => /^(?:\{"do":")?([\w.]+)/.exec(step)?.[1] ?? null;

async function load(address: string): Promise<Loaded> {
  try {
    return trialsOf((await import(address)) as Record<string, unknown>, (name) => tell(-1, name, null));
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const { code } = Object(error) as { code?: unknown };
    // Newer versions of Node.js load it, and then there is nothing to hint at.
    const hint = code === 'ERR_UNKNOWN_FILE_EXTENSION' ? '; compile it first, and name the JavaScript file' : '';
    return { trials: [], faults: [{ contract: null, message: `it threw while it was loaded: ${message}${hint}` }] };
  }
}

/** Of a parent that was killed a module that never returns would hear nothing: a thread of its own looks after it. */
const WATCH = `
const ppid = require('node:worker_threads').workerData;
setInterval(() => {
  try {
    process.kill(ppid, 0);
    if (process.ppid === ppid) return;
  } catch {}
  process.kill(process.pid, 'SIGKILL');
}, 500);`;
new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();

const [address = '', from = '0', length = 'shortest', descriptor = '', avoided = ''] = process.argv.slice(2);
const isAvoided = (call: string | null): boolean => call !== null && avoided.split(',').includes(call);
const { trials, faults } = await load(address);
const tests = trials.map(({ contract, title, rules }) => ({ contract, title, rules }));
await say({ type: 'loaded', tests, faults });
let running = new AbortController();
// What comes to nothing breaks the running test and not the process: the next test is tried in the same one.
process.on('beforeExit', () => running.abort(new Error('it waits for what never comes')));
process.on('unhandledRejection', (error) => running.abort(error));
process.on('uncaughtException', (error) => running.abort(error));
for (let at = Number(from); at < trials.length; at++) {
  // In a turn of its own: within `beforeExit` a second test that comes to nothing would end the process unheard.
  await new Promise<void>((resolve) => nodeRuntime.soon(resolve));
  await say({ type: 'begin', at });
  running = new AbortController();
  let left: Untried | undefined;
  const { shorten, ...verdict } = await tried(trials[at] as Trial, running.signal, (step) => {
    const call = callOf(step);
    tell(at, step, call);
    if (!isAvoided(call)) return;
    left = new Untried(`it calls ${call}, which hung or ended ${CONFORM.losses} processes before`);
    running.abort(left);
    throw left;
  });
  // Said before anything else is tried: what was found is not lost with a process that fewer steps hang. What a test
  // makes of a call that was not made says nothing.
  await say({ type: 'end', at, ...(left === undefined ? verdict : { outcome: 'untried', message: left.message }) });
  if (left !== undefined || shorten === undefined || length === 'whole') continue;
  running = new AbortController();
  const shorter = await shorten(AbortSignal.any([running.signal, AbortSignal.timeout(CONFORM.shorter)]));
  if (shorter !== undefined) await say({ type: 'shorter', at, ...shorter });
}
await say({ type: 'done' });
process.exit(0);

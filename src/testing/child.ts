/**
 * The process of `readback conform` in which the module runs, so that one that hangs or ends everything ends this only.
 *
 * Called with the address of the module, the number of the first test, and `whole` if no sequence is to be shortened.
 * Speaks over the channel of its parent.
 */
import { CONFORM } from '../limits.ts';
import { type Loaded, type Trial, trialsOf, tried } from './contracts.ts';

/** What was said has left before a test runs that may never return. */
const say = (message: object): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

async function load(address: string): Promise<Loaded> {
  try {
    return trialsOf((await import(address)) as Record<string, unknown>);
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { trials: [], faults: [{ contract: null, message: `it threw while it was loaded: ${message}` }] };
  }
}

const [address = '', from = '0', length = 'shortest'] = process.argv.slice(2);
const { trials, faults } = await load(address);
const tests = trials.map(({ contract, title, rules }) => ({ contract, title, rules }));
await say({ type: 'loaded', tests, faults });
let running = new AbortController();
// What comes to nothing breaks the running test and not the process: the next test is tried in the same one.
process.on('beforeExit', () => running.abort(new Error('it waits for what never comes')));
process.on('unhandledRejection', (error) => running.abort(error));
process.on('uncaughtException', (error) => running.abort(error));
for (let at = Number(from); at < trials.length; at++) {
  await say({ type: 'begin', at });
  running = new AbortController();
  const { shorten, ...verdict } = await tried(trials[at] as Trial, running.signal);
  // Said before anything else is tried: what was found is not lost with a process that fewer steps hang.
  await say({ type: 'end', at, ...verdict });
  if (shorten === undefined || length === 'whole') continue;
  running = new AbortController();
  const shorter = await shorten(AbortSignal.any([running.signal, AbortSignal.timeout(CONFORM.shorter)]));
  if (shorter !== undefined) await say({ type: 'shorter', at, ...shorter });
}
await say({ type: 'done' });
process.exit(0);

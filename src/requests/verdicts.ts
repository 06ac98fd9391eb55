/** The word of a child process, waited for no longer than it has. */
import type { Runtime } from '../runtime.ts';
import { RpcRefusal, rpcMessage } from '../wire/errors.ts';
import { REQUEST_LIMITS } from './limits.ts';
import { reason } from './log.ts';

const notReached = (why: string): RpcRefusal =>
  new RpcRefusal('relay_failed', `${rpcMessage('relay_failed')} (${why})`);

/** Refusals of the child pass through; any other trouble is that it was not reached. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcRefusal) throw error;
    throw notReached(reason(error));
  }
}

/** The verdict of a child, or 5019 once it has had its time: others may answer then. `late` hears what it says after that. */
export function inTime<T>(
  runtime: Pick<Runtime, 'after'>,
  work: () => Promise<T>,
  late: (verdict: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const ms = REQUEST_LIMITS.verdict;
    const expire = (): void => {
      isOver = true;
      reject(notReached(`no verdict within ${ms} ms`));
    };
    const cancel = runtime.after(ms, expire, 'quiet');
    const said = (verdict: T): void => {
      cancel();
      if (isOver) late(verdict);
      else resolve(verdict);
    };
    refusing(work).then(said, (error: unknown) => {
      cancel();
      reject(error);
    });
  });
}

/** A stdio process as the CLI runs one, but told by its environment where the host is. */
import { readFileSync } from 'node:fs';
import { serveMcpStdio } from '../../src/mcp/stdio.ts';

const file = process.env.TEST_HOST_FILE ?? '';
const hold = process.env.TEST_HOLD_MS;

const served = await serveMcpStdio({
  connect: async () => JSON.parse(readFileSync(file, 'utf8')) as { url: string; token: string },
  ...(hold === undefined ? {} : { holdMs: Number(hold) }),
});
await served.closed;

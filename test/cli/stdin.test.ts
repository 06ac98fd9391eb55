import { expect, it } from 'vitest';
import { readAll, STDIN_BYTES } from '../../src/cli/io.ts';
import { SIZES } from '../../src/limits.ts';

it('what comes without end on stdin is refused, and not kept until the memory is full', async () => {
  let given = 0;
  let isEnded = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; given < 4 * STDIN_BYTES; given += 65_536) yield new Uint8Array(65_536);
    } finally {
      isEnded = true;
    }
  }
  await expect(readAll(endless())).rejects.toMatchObject({ code: 'usage', field: 'stdin', exit: 2 });
  expect(given).toBeLessThanOrEqual(STDIN_BYTES);
  expect(isEnded).toBe(true);
});

it('the longest text that may be sent comes whole, in whatever parts', async () => {
  const text = '€'.repeat(SIZES.answerText);
  async function* parts(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
  }
  expect(Buffer.from(await readAll(parts())).toString()).toBe(text);
});

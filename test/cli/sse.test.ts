import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { events, type ServerEvent } from '../../src/cli/sse.ts';

async function read(parts: readonly (Uint8Array | string)[]): Promise<ServerEvent[]> {
  const out: ServerEvent[] = [];
  const stream = (async function* () {
    yield* parts;
  })();
  for await (const event of events(stream)) out.push(event);
  return out;
}

describe('server-sent events', () => {
  it('reads the same events wherever the bytes are cut', async () => {
    const written = fc.array(
      fc.record({
        event: fc.constantFrom('ask', 'ready'),
        data: fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
      }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(
        written,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (list, cuts, end) => {
          const text = list
            .map(({ event, data }) => `event: ${event}${end}data: ${data}${end}${end}: beat${end}${end}`)
            .join('');
          // A lone CR at the very end waits for its LF; one more byte shows that none comes.
          const bytes = Buffer.from(end === '\r' ? `${text}:` : text);
          const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
          const parts = [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
          expect(await read(parts)).toEqual(list.map((one) => ({ ...one, id: undefined })));
        },
      ),
    );
  });

  it('joins the lines of one event, and drops one that was not finished', async () => {
    expect(await read(['id: 7\ndata: a\ndata:b\n\n', 'data: half'])).toEqual([
      { event: 'message', data: 'a\nb', id: '7' },
    ]);
  });
});

import type { IncomingMessage } from 'node:http';
import { SIZES } from '../limits.ts';

/** The body passed its bound. What is left of it is not read. */
export class TooLarge extends Error {}

/** The client went away while it was sending. */
export class Gone extends Error {}

/** Reads a body of bounded size as text, whatever way it is framed in. */
export async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // A stream that is destroyed takes the socket with it, and the refusal has to leave by that.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > SIZES.frame) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new Gone('the client went away while it was sending', { cause });
  }
  if (size > SIZES.frame)
    throw new TooLarge(`body: is larger than ${SIZES.frame} bytes. Nothing was changed. Send less.`);
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads server-sent events from a stream of bytes, wherever the bytes are cut. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string | undefined;
}

/** One event per blank line; comments (keep-alives) are passed over; an unfinished event at the end is dropped. */
export async function* events(
  bytes: AsyncIterable<Uint8Array | string>,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: { event: string; data: string[]; id?: string } = { event: 'message', data: [] };
  try {
    for await (const part of bytes) {
      rest += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
      // A lone CR may be the first half of CR LF, so it waits for the next part.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') {
          read(line, fields);
          continue;
        }
        if (fields.data.length > 0) yield { event: fields.event, data: fields.data.join('\n'), id: fields.id };
        fields = { event: 'message', data: [] };
      }
    }
  } catch (error) {
    // The end of a stream that we ended ourselves is no failure.
    if (!signal?.aborted) throw error;
  }
}

function read(line: string, fields: { event: string; data: string[]; id?: string }): void {
  const colon = line.indexOf(':');
  if (colon === 0) return;
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'data') fields.data.push(value);
  else if (name === 'event') fields.event = value;
  else if (name === 'id') fields.id = value;
}

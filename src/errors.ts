/** The one catalogue of local errors: a code to branch on, what happens next, and whether to retry. */

const CATALOGUE = {
  invalid_input: { retry: false, next: 'Nothing was changed. Correct the named field and call again.' },
  too_many: { retry: true, next: 'Nothing was changed. Make the same call again when some of what is open has ended.' },
  closed: { retry: false, next: 'Nothing was changed. Open a coordinator again.' },
  retiring: {
    retry: true,
    next: 'Nothing was changed. Make the same call to another process, or here again later should this one stay.',
  },
  commit_failed: { retry: true, next: 'Nothing was changed. The same call may be made again.' },
  disk_full: { retry: true, next: 'Nothing was changed. Free some disk space, then make the same call again.' },
  store_busy: {
    retry: true,
    next: 'Nothing was changed. Another program holds the database; make the same call again.',
  },
  store_owned: { retry: false, next: 'Nothing was opened. Use the process that owns the database, or end it first.' },
  store_newer: {
    retry: false,
    next: 'Nothing was opened. Install the readback that wrote this database, or a newer one.',
  },
  store_unreadable: {
    retry: false,
    next: 'Nothing was opened. Restore the database file from a backup, or move it away.',
  },
} as const;

export type ErrorCode = keyof typeof CATALOGUE;

/**
 * The only error class readback throws on purpose.
 *
 * `code` is stable and meant for branching; the message is for people. `retry` says whether the same
 * call may succeed later without any change.
 */
export class ReadbackError extends Error {
  readonly code: ErrorCode;
  readonly retry: boolean;
  /** The input that was wrong, where there is one. */
  readonly field: string | undefined;

  constructor(code: ErrorCode, what: string, options: { field?: string; cause?: unknown } = {}) {
    super(`${what} ${CATALOGUE[code].next}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReadbackError';
    this.code = code;
    this.retry = CATALOGUE[code].retry;
    this.field = options.field;
  }
}

/** What is wrong with the field that an error of bad input names, without its name and the remedy. */
export function reasonOfInput({ message, field }: ReadbackError): string {
  const start = field === undefined ? '' : `${field}: `;
  const end = `. ${CATALOGUE.invalid_input.next}`;
  const reason = message.startsWith(start) ? message.slice(start.length) : message;
  return reason.endsWith(end) ? reason.slice(0, -end.length) : reason;
}

/** Bad input: names the field, the reason and, through the catalogue, the remedy. */
export function invalid(field: string, reason: string): ReadbackError {
  return new ReadbackError('invalid_input', `${field}: ${reason}.`, { field });
}

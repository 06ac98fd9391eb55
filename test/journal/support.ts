/** The harness of the kit, over the journal of this package. */
import * as api from '../../src/journal.ts';
import { Harness, type HarnessOptions } from '../../src/testing/journal/harness.ts';
import type { JournalSubject } from '../../src/testing/journal/subject.ts';

export const own: JournalSubject = {
  create: (options) => api.createJournal(options),
  askFingerprint: api.askFingerprint,
  answerText: api.answerText,
  preview: api.preview,
};

export const makeJournal = (options: HarnessOptions = {}): Harness => new Harness(options, own);

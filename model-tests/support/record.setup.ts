/** Runs beside each file of model tests when a report is wanted. */
import { afterAll } from 'vitest';
import { RECORDS, writeRecords } from './record.ts';

afterAll(() => {
  const folder = process.env[RECORDS];
  if (folder !== undefined) writeRecords(folder);
});

/** What a row names its chart by: a chart is what it does, so its words may be bettered without a migration. */
import { createHash } from 'node:crypto';

const behaviour = (key: string, value: unknown): unknown =>
  key === 'description' || key === 'meta' ? undefined : value;

export const chartHash = (config: unknown): string =>
  createHash('sha256').update(JSON.stringify(config, behaviour)).digest('hex').slice(0, 16);

/** What a row that a store does not look into names its chart by. */
export const chartStamp = ({ id, version, config }: { id: string; version: string; config: unknown }): string =>
  `${id} ${version} ${chartHash(config)}`;

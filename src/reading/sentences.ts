import type { DriftAnswer } from '../api/server.ts';
import { formatCount, plural } from './format.ts';

/** Sentences printed by several commands. */

/** For a database that was lost while the archive still exists. */
export function unknownCaptures(count: number): string {
  return `The archive contains ${plural(count, 'capture')} that the database does not have. Run \`fuel-code rebuild\`.`;
}

/** How much of the transcripts this version understands. */
export function driftSentence({ records, known, shapes }: Pick<DriftAnswer, 'records' | 'known' | 'shapes'>): string {
  if (records === 0) return 'No transcript has been parsed yet.';
  const rate = `${formatCount(known)} of ${plural(records, 'record')} known (${formatRate(known / records)})`;
  if (shapes.length === 0) return `${rate}.`;
  const things = plural(new Set(shapes.map(({ name }) => name)).size, 'unknown shape');
  return `${rate}; ${things}. Unknown content is kept in the archive.`;
}

const ALL = 1;
const PERCENT = 100;

/** Never 100 % as long as something is unknown. */
export function formatRate(rate: number): string {
  if (rate === ALL) return '100 %';
  return `${(Math.floor(rate * PERCENT * PERCENT) / PERCENT).toFixed(2)} %`;
}

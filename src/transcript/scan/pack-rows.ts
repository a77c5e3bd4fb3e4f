import type { UsageRow } from './usage-rows.ts';

/** Rows in a form that crosses from one thread to another quickly: columns of numbers, and texts in one string. */
export interface PackedRows {
  readonly numbers: Float64Array<ArrayBuffer>;
  /** Message ids, then request ids (empty for none), one per line. */
  readonly ids: string;
  readonly sessions: readonly string[];
  readonly models: readonly string[];
}

const COLUMNS = 12;

export function packRows(rows: readonly UsageRow[]): PackedRows {
  const numbers = new Float64Array(rows.length * COLUMNS);
  const sessions = new Map<string, number>();
  const models = new Map<string, number>();
  let at = 0;
  for (const row of rows) {
    numbers[at++] = row.file;
    numbers[at++] = row.order;
    numbers[at++] = numberOf(sessions, row.sessionId);
    numbers[at++] = numberOf(models, row.model);
    numbers[at++] = row.timeMs;
    numbers[at++] = row.marks;
    numbers[at++] = row.input;
    numbers[at++] = row.output;
    numbers[at++] = row.cacheRead;
    numbers[at++] = row.cacheWrite5m;
    numbers[at++] = row.cacheWrite1h;
    numbers[at++] = row.webSearches;
  }
  const ids = [...rows.map((row) => escaped(row.id)), ...rows.map((row) => escaped(row.requestId ?? ''))].join('\n');
  return { numbers, ids, sessions: [...sessions.keys()], models: [...models.keys()] };
}

export function unpackRows({ numbers, ids, sessions, models }: PackedRows): readonly UsageRow[] {
  const count = numbers.length / COLUMNS;
  const texts = ids.split('\n');
  return Array.from({ length: count }, (_, index): UsageRow => {
    const at = index * COLUMNS;
    const number = (column: number): number => numbers[at + column] as number;
    return {
      file: number(0),
      id: unescaped(texts[index] ?? ''),
      requestId: unescaped(texts[count + index] ?? '') || null,
      sessionId: sessions[number(2)] ?? '',
      order: number(1),
      model: models[number(3)] ?? '',
      timeMs: number(4),
      marks: number(5),
      input: number(6),
      output: number(7),
      cacheRead: number(8),
      cacheWrite5m: number(9),
      cacheWrite1h: number(10),
      webSearches: number(11),
    };
  });
}

function numberOf(known: Map<string, number>, text: string): number {
  const number = known.get(text);
  if (number !== undefined) return number;
  known.set(text, known.size);
  return known.size - 1;
}

/** An id of the wild may hold the separator. */
function escaped(id: string): string {
  return id.includes('\n') || id.startsWith('"') ? JSON.stringify(id) : id;
}

function unescaped(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

import { performance } from 'node:perf_hooks';
import process from 'node:process';

/** Measures several ways of doing the same job in turns, so that a busy machine affects all of them equally. */

export interface Contestant {
  readonly name: string;
  /** Runs the job once; returns its milliseconds, or nothing if the caller should measure them. */
  run(): Promise<number | void>;
}

export interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
}

export async function measureInTurns(contestants: readonly Contestant[], rounds: number): Promise<readonly Measured[]> {
  const times = contestants.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const start = performance.now();
      const ms = (await contestant.run()) ?? performance.now() - start;
      // The first round warms the page cache.
      if (round > 0) times[index]?.push(ms);
    }
  }
  return contestants.map(({ name }, index) => {
    const sorted = (times[index] ?? []).toSorted((a, b) => a - b);
    return { name, medianMs: sorted[sorted.length >> 1] ?? Number.NaN, minMs: sorted[0] ?? Number.NaN };
  });
}

export interface Times {
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
}

/** Milliseconds of one job, run repeatedly. */
export async function measureOften(rounds: number, run: () => unknown): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const start = performance.now();
    await run();
    // The first round warms the page cache.
    if (round > 0) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { min: at(0), p50: at(0.5), p95: at(0.95) };
}

export function inMs(value: number): string {
  return `${value.toFixed(1)} ms`;
}

const MEBIBYTE = 1024 * 1024;

/** A table of the results, each as a ratio to the speed of the first. */
export function ratioTable(measured: readonly Measured[], bytes: number): string {
  const [baseline] = measured;
  const rows = measured.map(({ name, medianMs, minMs }) => [
    name,
    `${medianMs.toFixed(0)} ms`,
    `${minMs.toFixed(0)} ms`,
    `${(bytes / MEBIBYTE / (medianMs / 1_000)).toFixed(0)} MB/s`,
    `${((baseline?.medianMs ?? Number.NaN) / medianMs).toFixed(2)} ×`,
  ]);
  return textTable([['', 'median', 'best', 'speed', 'ratio'], ...rows]);
}

export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

export function heading(title: string): void {
  console.log(`\n## ${title}\n`);
}

/** True when the file is run directly, not imported. */
export function isMain(url: string): boolean {
  return process.argv[1] !== undefined && url === new URL(process.argv[1], 'file://').href;
}

import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleBench } from './bundle.ts';
import { largeTranscript } from './corpus.ts';
import { heading, isMain, textTable } from './measure.ts';
import { type OnceResult, runOnce } from './run-once.ts';

/** Peak memory on oversized files, and how time grows with the size of one file. */

const MEBIBYTE = 1024 * 1024;
const HUGE_FILE_BYTES = 1_200 * MEBIBYTE;
const HUGE_LINE_BYTES = 100 * MEBIBYTE;
const GROWTH_BYTES = 100 * MEBIBYTE;
const ROUNDS = 3;
const NAME = '00000000-0000-4000-8000-000000000000.jsonl';

export async function benchLarge(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fuel-code-large-'));
  const bundle = await bundleBench([
    'scan-once.ts',
    '../src/app/cost/usage-scan-thread.ts',
    'parse-once.ts',
    'parse-worker.ts',
  ]);
  try {
    const once = (way: 'scan' | 'parse', name: string): OnceResult => {
      const root = join(folder, name);
      if (way === 'scan') return runOnce(bundle.path('scan-once.ts'), root, '1');
      return runOnce(bundle.path('parse-once.ts'), 'ours', root, '1');
    };
    writeTranscript(join(folder, 'huge-file'), HUGE_FILE_BYTES);
    writeTranscript(join(folder, 'huge-line'), MEBIBYTE, HUGE_LINE_BYTES);
    writeTranscript(join(folder, 'n'), GROWTH_BYTES);
    writeTranscript(join(folder, '2n'), 2 * GROWTH_BYTES);
    heading('Peak memory of a process that reads one file');
    console.log(
      textTable([
        ['', 'size', 'scan', 'full parse'],
        ...['n', 'huge-line', 'huge-file'].map((name) => {
          const [scan, parse] = [once('scan', name), once('parse', name)];
          return [name, megabytes(scan.bytes), megabytes(scan.maxRssBytes), megabytes(parse.maxRssBytes)];
        }),
      ]),
    );
    heading(`Growth: time(2n) / time(n) for one file of n = ${megabytes(GROWTH_BYTES)}, best of ${ROUNDS}`);
    for (const way of ['scan', 'parse'] as const) {
      const best = (name: string) => Math.min(...Array.from({ length: ROUNDS }, () => once(way, name).ms));
      console.log(`${way}: ${(best('2n') / best('n')).toFixed(2)}`);
    }
  } finally {
    bundle.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A session file of about this size, optionally with one line of the given length in the middle. */
function writeTranscript(folder: string, sizeBytes: number, lineBytes = 0): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, NAME), 'w');
  for (const lines of largeTranscript(sizeBytes / 2, 1)) writeSync(file, lines);
  if (lineBytes > 0) {
    writeSync(file, '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"');
    for (let left = lineBytes; left > 0; left -= MEBIBYTE) writeSync(file, 'x'.repeat(Math.min(left, MEBIBYTE)));
    writeSync(file, '"}]}}\n');
  }
  for (const lines of largeTranscript(sizeBytes / 2, 2)) writeSync(file, lines);
  closeSync(file);
}

function megabytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(0)} MB`;
}

if (isMain(import.meta.url)) await benchLarge();

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '../src/app/open-app.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/timing.ts';
import { createLog } from '../src/lib/log.ts';
import { priceUsage } from '../src/transcript/price/price-usage.ts';
import { createParser } from '../src/transcript/parser.ts';
import { type CorpusSize, makeCorpus } from './corpus.ts';
import { isMain } from './measure.ts';

/** The import into SQLite and files, against `JSON.parse` of every line of the same files in the same run. */
const MEGABYTE = 1e6;
/** Most sessions of a first import have ended long ago; for growing sessions more state would be kept. */
const YESTERDAY = new Date(Date.now() - 24 * 60 * 60_000);

export async function benchImport(size: CorpusSize = 'M'): Promise<void> {
  const corpus = await makeCorpus(size);
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  try {
    const files = transcripts(corpus.projects);
    for (const path of files) utimesSync(path, YESTERDAY, YESTERDAY);
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
    const baseline = seconds(() => parseEveryLine(files));
    const parse = seconds(() => parseAll(files));
    const { config } = loadConfig({ FUEL_CODE_HOME: home, CLAUDE_CONFIG_DIR: corpus.claudeHome });
    const log = createLog({ level: 'error', clock: systemClock, write: (line) => process.stderr.write(line) });
    await using app = await openApp({ config, clock: systemClock, log });
    const first = await timedImport(app);
    const second = await timedImport(app);
    appendFileSync(files[0] ?? '', '{"type":"mode","mode":"normal"}\n');
    const appended = await timedImport(app);
    const rate = (s: number) => `${(bytes / s / MEGABYTE).toFixed(0)} MB/s`;
    console.log(`import of ${(bytes / MEGABYTE).toFixed(0)} MB, ${files.length} files (${corpus.madeBy})`);
    console.log(`  JSON.parse of every line         ${rate(baseline)}  1.00`);
    const ratios = (s: number) => `${(baseline / s).toFixed(2)}, ${(parse / s).toFixed(2)} of the parse alone`;
    console.log(`  our parse alone                  ${rate(parse)}  ${(baseline / parse).toFixed(2)}`);
    console.log(`  archive + rows                   ${rate(first.rows)}  ${ratios(first.rows)}`);
    console.log(`  archive + rows + full text       ${rate(first.all)}  ${ratios(first.all)}`);
    console.log(
      `  second import: ${second.bytesRead} bytes read, ${(second.all / first.all).toFixed(4)} of the first's time`,
    );
    console.log(`  one line appended: ${appended.bytesRead} bytes read, ${appended.parsed} session parsed`);
  } finally {
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

async function timedImport(app: App) {
  const startedMs = performance.now();
  let rowsMs = startedMs;
  const report = await app.importNew({
    onProgress: ({ phase }) => {
      if (phase === 'importing') rowsMs = performance.now();
    },
  });
  const all = (performance.now() - startedMs) / 1_000;
  return { all, rows: (rowsMs - startedMs) / 1_000, bytesRead: report.bytes_read, parsed: report.sessions_parsed };
}

function parseEveryLine(files: readonly string[]): number {
  let count = 0;
  for (const path of files) {
    const buffer = readFileSync(path);
    for (let from = 0; from < buffer.length; ) {
      const end = buffer.indexOf(10, from);
      const to = end < 0 ? buffer.length : end;
      count += tryParse(buffer.toString('utf8', from, to));
      from = to + 1;
    }
  }
  return count;
}

/** Parses each file as a separate session and discards the rows and blocks. */
function parseAll(files: readonly string[]): number {
  let messages = 0;
  for (const name of files) {
    const parser = createParser(
      name,
      [{ role: 'main', agentId: null, name }],
      { block: () => {} },
      { price: priceUsage },
    );
    parser.push(0, readFileSync(name));
    parser.endFile(0);
    messages += parser.finish().messages.length;
  }
  return messages;
}

function tryParse(line: string): number {
  try {
    JSON.parse(line);
    return 1;
  } catch {
    return 0;
  }
}

function seconds(run: () => unknown): number {
  const startedMs = performance.now();
  run();
  return (performance.now() - startedMs) / 1_000;
}

function transcripts(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(root, name));
}

if (isMain(import.meta.url)) await benchImport((process.argv[2] as CorpusSize | undefined) ?? 'M');

import process from 'node:process';
import { bundleBench } from './bundle.ts';
import { installCcusage } from './ccusage.ts';
import { type CorpusSize, makeCorpus } from './corpus.ts';
import { type Contestant, heading, isMain, measureInTurns, ratioTable } from './measure.ts';
import { type OnceResult, runOnce } from './run-once.ts';

/** The usage-only scan against native ccusage: whole processes, from start to printed totals. */

const ROUNDS = 5;

interface ScanSums extends OnceResult {
  readonly messages: number;
  readonly output: number;
}

export async function benchScan(size: CorpusSize = 'M'): Promise<void> {
  const corpus = await makeCorpus(size);
  const bundle = await bundleBench(['scan-once.ts', '../src/app/cost/usage-scan-thread.ts']);
  const ccusage = installCcusage();
  try {
    const scan = (threads: number): ScanSums =>
      runOnce<ScanSums>(bundle.path('scan-once.ts'), corpus.projects, String(threads));
    const { bytes, messages, output, maxRssBytes } = scan(1);
    heading(`Usage scan, ${corpus.madeBy}, ${(bytes / 1024 ** 2).toFixed(0)} MB, ${ROUNDS} rounds in turns`);
    const ours = (name: string, threads: number): Contestant => ({ name, run: async () => void scan(threads) });
    const contestants: Contestant[] = [
      ...(ccusage
        ? [{ name: 'ccusage daily, all cores', run: async () => void ccusage.outputTokens(corpus.claudeHome) }]
        : []),
      ours('ours, 1 thread', 1),
      ours('ours, 2 threads', 2),
      { name: 'ours, 1 thread, without process start', run: async () => scan(1).ms },
      { name: 'ours, 2 threads, without process start', run: async () => scan(2).ms },
    ];
    console.log(ratioTable(await measureInTurns(contestants, ROUNDS), bytes));
    const { truth } = corpus;
    console.log(`\ntruth: ${truth.messages} messages, ${truth.output} output tokens`);
    console.log(
      `ours:  ${messages} messages, ${output} output tokens; peak memory ${(maxRssBytes / 1024 ** 2).toFixed(0)} MB`,
    );
    if (ccusage) console.log(`ccusage: ${ccusage.outputTokens(corpus.claudeHome)} output tokens`);
  } finally {
    ccusage?.remove();
    bundle.remove();
    corpus.remove();
  }
}

if (isMain(import.meta.url)) await benchScan((process.argv[2] as CorpusSize | undefined) ?? 'M');

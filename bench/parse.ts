import process from 'node:process';
import { bundleBench } from './bundle.ts';
import { type CorpusSize, makeCorpus } from './corpus.ts';
import { type Contestant, heading, isMain, measureInTurns, ratioTable } from './measure.ts';
import { type OnceResult, runOnce } from './run-once.ts';

/**
 * The full parse against JSON.parse of every line of the same files in the same run, excluding the start of processes
 * and threads. Two eras, because the lines of old and new clients differ considerably.
 */

const ROUNDS = 5;

export async function benchParse(size: CorpusSize = 'M'): Promise<void> {
  for (const era of ['classic', 'modern'] as const) await benchEra(size, era);
}

async function benchEra(size: CorpusSize, era: 'classic' | 'modern'): Promise<void> {
  const corpus = await makeCorpus(size, era);
  const bundle = await bundleBench(['parse-once.ts', 'parse-worker.ts']);
  try {
    const once = (way: string, threads: number): OnceResult =>
      runOnce(bundle.path('parse-once.ts'), way, corpus.projects, String(threads));
    const contestant = (name: string, way: string, threads: number): Contestant => ({
      name,
      run: async () => once(way, threads).ms,
    });
    const { bytes, maxRssBytes } = once('ours', 1);
    heading(`Full parse, ${corpus.madeBy}, ${(bytes / 1024 ** 2).toFixed(0)} MB, ${ROUNDS} rounds in turns`);
    const contestants = [
      contestant('JSON.parse of every line, 1 thread', 'baseline', 1),
      contestant('ours, 1 thread', 'ours', 1),
      contestant('ours with drift report, 1 thread', 'drift', 1),
      contestant('JSON.parse of every line, 2 threads', 'baseline', 2),
      contestant('ours, 2 threads', 'ours', 2),
      contestant('ours with drift report, 2 threads', 'drift', 2),
    ];
    console.log(ratioTable(await measureInTurns(contestants, ROUNDS), bytes));
    console.log(`\npeak memory of ours, 1 thread: ${(maxRssBytes / 1024 ** 2).toFixed(0)} MB`);
  } finally {
    bundle.remove();
    corpus.remove();
  }
}

if (isMain(import.meta.url)) await benchParse((process.argv[2] as CorpusSize | undefined) ?? 'M');

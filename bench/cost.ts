import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { CostReport } from '../src/api/usage.ts';
import { installCcusage } from './ccusage.ts';
import { type CorpusSize, makeCorpus } from './corpus.ts';
import { type Contestant, heading, isMain, measureInTurns, textTable } from './measure.ts';

/** `fuel-code cost` from the shell, before and after an import, against native ccusage. Needs a build. */

const ROUNDS = 9;
const LAUNCHER = fileURLToPath(new URL('../bin/fuel-code', import.meta.url));

export async function benchCost(size: CorpusSize = 'M'): Promise<void> {
  if (!existsSync(new URL('../dist/main.cjs', import.meta.url))) throw new Error('run `npm run build` first');
  const corpus = await makeCorpus(size);
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-bench-'));
  const ccusage = installCcusage();
  const fuel = (data: string, ...args: readonly string[]) =>
    execFileSync(process.execPath, [LAUNCHER, ...args], {
      env: { ...process.env, FUEL_CODE_HOME: join(home, data), CLAUDE_CONFIG_DIR: corpus.claudeHome },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    }).toString();
  try {
    fuel('warm', 'cost', '--by', 'workspace');
    const contestants: Contestant[] = [
      ...(ccusage
        ? [
            {
              name: 'ccusage claude daily --offline --json',
              run: async () => void ccusage.outputTokens(corpus.claudeHome),
            },
          ]
        : []),
      { name: 'node -e 0', run: async () => void execFileSync(process.execPath, ['-e', '0']) },
      { name: 'fuel-code cost, before any import', run: async () => void fuel('cold', 'cost') },
      { name: 'fuel-code cost, warm', run: async () => void fuel('warm', 'cost') },
      { name: 'fuel-code cost --json, warm', run: async () => void fuel('warm', 'cost', '--json') },
    ];
    const measured = await measureInTurns(contestants, ROUNDS);
    const base = measured[0]?.medianMs ?? Number.NaN;
    heading(`What it cost, ${corpus.madeBy}, median of ${ROUNDS} in turns, as a ratio to the first`);
    const rows = measured.map(({ name, medianMs, minMs }) => [
      name,
      `${medianMs.toFixed(0)} ms`,
      `${minMs.toFixed(0)} ms`,
      (medianMs / base).toFixed(2),
    ]);
    console.log(textTable([['', 'median', 'best', 'ratio'], ...rows]));
    for (const data of ['cold', 'warm']) {
      const { total, source } = JSON.parse(fuel(data, 'cost', '--json')) as CostReport;
      console.log(`\nfrom the ${source}: ${total.messages} messages, ${total.tokens_out} output tokens`);
    }
    console.log(`\ntruth: ${corpus.truth.messages} messages, ${corpus.truth.output} output tokens`);
  } finally {
    ccusage?.remove();
    rmSync(home, { recursive: true });
    corpus.remove();
  }
}

if (isMain(import.meta.url)) await benchCost((process.argv[2] as CorpusSize | undefined) ?? 'M');

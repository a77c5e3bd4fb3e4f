import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { ago, type DemoFile, LEDGER, projectFolder, sessionId, transcriptFile } from '../story.ts';
import { bash, write } from '../tools.ts';

/** Nine days ago: a first idea, rewound, and a second one. The first stays in the file as a branch. */
export function ledgerRewind(now: Date): DemoFile[] {
  const id = sessionId('2a60f9bc');
  const scribe = createScribe({
    sessionId: id,
    cwd: LEDGER,
    gitBranch: 'reports',
    version: VERSIONS.recent,
    model: 'claude-opus-5-5',
    startedAt: ago(now, 9, 2),
  });
  scribe.prompt('I want a yearly report of how much tea I bought, by kind. What would you suggest?');
  scribe.answer({
    text: `Two ways:

1. **A chart in the terminal**: no dependencies, bars out of \`█\`, fits any width.
2. **A PDF** with a table and a chart, made with \`reportlab\`.`,
    think: 'Small tool, one user. Offer the light way first.',
  });
  const fork = scribe.mark();
  firstTry(scribe);
  scribe.rewindTo(fork);
  secondTry(scribe);
  return [transcriptFile(`${projectFolder(LEDGER)}/${id}.jsonl`, scribe)];
}

function firstTry(scribe: Scribe): void {
  scribe.wait(40);
  scribe.prompt('The PDF.');
  scribe.call(
    bash({
      command: 'pip install reportlab',
      about: 'Install reportlab',
      output: 'ERROR: No matching distribution found for reportlab',
      exitCode: 1,
      seconds: 12,
    }),
  );
  scribe.answer({
    text: 'There is no network here, so `reportlab` cannot be installed. I could write PDF by hand, but that is a lot of code for one chart.',
  });
}

const CHART = `def chart(totals, width=40):
    top = max(totals.values())
    for kind, grams in sorted(totals.items(), key=lambda item: -item[1]):
        bar = "█" * round(width * grams / top)
        print(f"{kind:<12} {bar} {grams / 1000:.1f} kg")
`;

function secondTry(scribe: Scribe): void {
  scribe.wait(95);
  scribe.prompt('Then the chart in the terminal.');
  scribe.call(write({ path: `${LEDGER}/tea_ledger/chart.py`, content: CHART }));
  scribe.call(
    bash({
      command: 'python -m tea_ledger chart 2026',
      about: 'Draw it',
      output:
        'sencha       ████████████████████████████████████████ 3.1 kg\ndarjeeling   ██████████████████████ 1.7 kg\npu-erh       ████████ 0.6 kg\nrooibos      ██ 0.2 kg',
    }),
  );
  scribe.answer({
    text: '3.1 kg of sencha this year. `tea-ledger chart 2026` draws it at any width; `--csv` gives the numbers.',
  });
  scribe.loose({ type: 'last-prompt', lastPrompt: 'Then the chart in the terminal.', leafUuid: scribe.mark() });
}

import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import {
  ago,
  bash,
  type DemoFile,
  edit,
  grep,
  LEDGER,
  projectFolder,
  sessionId,
  transcriptFile,
  write,
} from '../story.ts';

/** Four weeks ago, with an old client: full thinking, a to-do list, a summary line. */
export function ledgerOld(now: Date): DemoFile[] {
  const id = sessionId('7705d2f8');
  const scribe = createScribe({
    sessionId: id,
    cwd: LEDGER,
    gitBranch: 'main',
    version: VERSIONS.old,
    model: 'claude-sonnet-4-5-20250929',
    startedAt: ago(now, 27, 4),
  });
  snapshot(scribe);
  scribe.prompt('Amounts are floats everywhere. Make them integer cents.', {
    thinkingMetadata: { level: 'high', disabled: false, triggers: [] },
  });
  plan(scribe);
  change(scribe);
  scribe.raw({ type: 'summary', summary: 'Money as integer cents', leafUuid: scribe.mark() });
  return [transcriptFile(`${projectFolder(LEDGER)}/${id}.jsonl`, scribe)];
}

function snapshot(scribe: Scribe): void {
  const messageId = '0ae44287-6fb8-4325-acd4-93469667fe11';
  scribe.raw({
    type: 'file-history-snapshot',
    messageId,
    snapshot: { messageId, trackedFileBackups: {}, timestamp: scribe.now() },
    isSnapshotUpdate: false,
  });
}

function todos(states: readonly string[]) {
  const names = ['Find every float', 'Change the column and migrate', 'Format cents for people'];
  return names.map((content, index) => ({ content, status: states[index] ?? 'pending', activeForm: content }));
}

function plan(scribe: Scribe): void {
  scribe.call(
    grep({
      pattern: 'float\\(',
      files: [
        `${LEDGER}/tea_ledger/models.py`,
        `${LEDGER}/tea_ledger/importers/bank.py`,
        `${LEDGER}/tea_ledger/report.py`,
      ],
      think:
        'Money in floats gives 0.1 + 0.2 = 0.30000000000000004 in a ledger that is supposed to balance. Integer cents at the border: parse once, keep integers, format once. Let me find where floats are made.',
      say: "I'll look for every place where an amount becomes a float.",
    }),
  );
  scribe.call({
    name: 'TodoWrite',
    input: { todos: todos(['completed', 'in_progress']) },
    output: 'Todos have been modified successfully.',
    structured: { oldTodos: [], newTodos: todos(['completed', 'in_progress']) },
  });
}

function change(scribe: Scribe): void {
  scribe.call(
    edit({
      path: `${LEDGER}/tea_ledger/models.py`,
      before: '    amount: float',
      after: '    amount_cents: int',
    }),
  );
  scribe.call(
    edit({
      path: `${LEDGER}/tea_ledger/importers/bank.py`,
      before: '        amount=float(row[4].replace(",", ".")),',
      after: '        amount_cents=cents(row[4]),',
    }),
  );
  scribe.call(
    bash({
      command: 'python -m pytest -q',
      about: 'Run the tests',
      output: 'E   AttributeError: Entry has no attribute amount\n3 failed, 35 passed in 0.77s',
      exitCode: 1,
      seconds: 3,
    }),
  );
  scribe.call(
    edit({
      path: `${LEDGER}/tea_ledger/report.py`,
      before: '    total = sum(e.amount for e in entries)',
      after: '    total = sum(e.amount_cents for e in entries)',
    }),
  );
  scribe.call(
    bash({ command: 'python -m pytest -q', about: 'Run the tests', output: '38 passed in 0.74s', seconds: 3 }),
  );
  scribe.answer({
    text: 'Amounts are integer cents from the import to the report. The old database is migrated by `tea-ledger migrate`: it multiplied 1,911 amounts by 100 and found none that was not a whole cent.',
  });
}

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

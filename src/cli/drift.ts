import type { DriftAnswer } from '../api/server.ts';
import { driftSentence, formatCompact, formatRate } from '../reading/format.ts';
import { type Command, JSON_OPTION, NO_IMPORT_OPTION, REMOTE_OPTIONS } from './command.ts';
import { printJson, printLine } from './output.ts';
import { openSource } from './source.ts';
import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

export const command: Command = {
  name: 'drift',
  about: 'Show transcript content that is unknown to this version of fuel-code, by Claude Code version.',
  options: { 'no-import': NO_IMPORT_OPTION, json: JSON_OPTION, ...REMOTE_OPTIONS },
  examples: [
    ['fuel-code drift', 'Known and unknown records for each Claude Code version.'],
    ['fuel-code drift --json', 'The same as JSON.'],
  ],
  run: async (context, args) => {
    await using source = await openSource(context, args, 'rows');
    // People report this output, and the name of an unknown field may contain a secret.
    const { openRedaction } = await import('../app/redaction.ts');
    const drift = openRedaction(context.loaded.config).rows(await source.get('/drift'));
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, drift);
    else printDrift(terminal, drift);
  },
};

function printDrift(terminal: Terminal, drift: DriftAnswer): void {
  printLine(terminal, driftSentence(drift));
  if (drift.versions.length > 0) terminal.out(`\n${renderTable(terminal, VERSION_COLUMNS, drift.versions)}`);
  if (drift.shapes.length > 0) terminal.out(`\n${renderTable(terminal, SHAPE_COLUMNS, drift.shapes)}`);
  if (drift.shapes.some(({ name }) => name.includes('(hidden)')))
    printLine(terminal, '(hidden): a name that may contain private text, or no name.');
}

const VERSION_COLUMNS: readonly Column<DriftAnswer['versions'][number]>[] = [
  { title: 'CLAUDE CODE', grows: true, text: ({ cc_version }) => cc_version },
  { title: 'SESSIONS', align: 'right', fromColumns: 50, text: ({ sessions }) => formatCompact(sessions) },
  { title: 'RECORDS', align: 'right', text: ({ records }) => formatCompact(records) },
  {
    title: 'UNKNOWN',
    align: 'right',
    text: ({ records, known }) => formatCompact(records - known),
    style: ({ records, known }) => (records > known ? 'yellow' : 'dim'),
  },
  { title: 'KNOWN', align: 'right', text: ({ pass_rate }) => (pass_rate === null ? '–' : formatRate(pass_rate)) },
];

const SHAPE_COLUMNS: readonly Column<DriftAnswer['shapes'][number]>[] = [
  { title: 'CLAUDE CODE', text: ({ cc_version }) => cc_version },
  { title: 'WHAT', text: ({ what }) => what },
  { title: 'UNKNOWN', grows: true, text: ({ name }) => name },
  { title: 'COUNT', align: 'right', text: ({ count }) => formatCompact(count) },
  { title: 'SESSIONS', align: 'right', fromColumns: 60, text: ({ sessions }) => formatCompact(sessions) },
];

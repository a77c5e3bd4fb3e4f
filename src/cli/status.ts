import type { ClaudeHomeStatus, StatusReport } from '../api/server.ts';
import {
  countExpiring,
  describeFileCounts,
  type Expiring,
  type RetentionReport,
  reportRetention,
} from '../app/retention.ts';
import type { ShippingReport } from '../app/shipping/ship.ts';
import { readWorkerState, type WorkerState, workerSentence } from '../app/worker.ts';
import { allTokens } from '../domain/cost.ts';
import { fitWidth, visibleLine } from '../lib/terminal-text.ts';
import { compactPlural, formatBytes, formatNanos, plural } from '../reading/format.ts';
import { shortId, titleOf } from '../reading/names.ts';
import { type Command, type CommandContext, JSON_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printJson, printNote } from './output.ts';
import { type Fact, factLines } from './session-detail.ts';
import { isRemote, openSource, readOnlyFolder, warnUnknownCaptures } from './source.ts';
import type { Terminal } from './terminal.ts';

const MAX_TITLE_WIDTH = 60;

export const command: Command = {
  name: 'status',
  about: 'Show what is stored, what is running and what is pending.',
  options: { json: JSON_OPTION, ...REMOTE_OPTIONS },
  examples: [
    ['fuel-code status', 'Sessions, archive, running sessions, and the usage of today and this month.'],
    ['fuel-code status --json', 'The same as JSON.'],
  ],
  run: async (context, args) => {
    const status = isRemote(args) ? await fetchFromServer(context, args) : await readLocalStatus(context);
    const { terminal } = context;
    if (args.flags.has('json')) printJson(terminal, jsonOf(status));
    else terminal.out(render(terminal, status));
  },
};

interface Status extends StatusReport, Partial<WorkerState> {
  /** Retention of the Claude homes on this machine; unknown for a server. */
  readonly retention?: RetentionReport;
  readonly shipping?: ShippingReport | null;
}

/** Only counts; `doctor --json` lists the files. */
function jsonOf({ retention, ...status }: Status) {
  if (retention === undefined) return status;
  return { ...status, retention: { ...retention, expiring: countExpiring(retention.expiring) } };
}

async function fetchFromServer(context: CommandContext, args: ParsedArguments): Promise<Status> {
  await using source = await openSource(context, args);
  return await source.get('/status');
}

async function readLocalStatus({ openApp, clock, terminal }: CommandContext): Promise<Status> {
  await using app = await openApp();
  if (app.isReadOnly) printNote(terminal, readOnlyFolder(app.config.home));
  await warnUnknownCaptures(terminal, app);
  const retention = await reportRetention(app, clock.now());
  const shipping = await app.reportShipping();
  return { ...(await app.get('/status')), retention, ...readWorkerState(app.config.home), shipping };
}

function render(terminal: Terminal, status: Status): string {
  const waiting = status.import.sessions_to_index;
  const facts: readonly Fact[] = [
    ['Sessions', `${status.sessions} with ${plural(status.messages, 'message')}`],
    ...liveFacts(status.live),
    ['Usage', describeUsage(status)],
    [
      'Archive',
      `${plural(status.files, 'file')}, ${formatBytes(status.archived_bytes)} stored in ${formatBytes(status.stored_bytes)}`,
    ],
    ['Full text', waiting === 0 ? 'complete' : `${plural(waiting, 'session')} not indexed yet`],
    ...(status.retention === undefined ? [] : retentionFacts(status.retention)),
    [
      'Worker',
      status.worker === undefined ? null : workerSentence({ worker: status.worker, sentinel: status.sentinel ?? null }),
    ],
    ...status.claude_homes.map(homeFact),
    ['Data', `${status.data_home} (${status.mode === 'embedded' ? 'SQLite' : 'PostgreSQL'})`],
    ['Version', status.version],
    ...(status.shipping ? shippingFacts(status.shipping) : []),
  ];
  return `${factLines(terminal, facts).join('\n')}\n`;
}

function liveFacts({ count, sessions }: StatusReport['live']): readonly Fact[] {
  if (count === 0) return [['Live', 'none']];
  const lines = sessions.map(
    ({ id, title }) => `${shortId(id)} ${fitWidth(visibleLine(titleOf({ title })), MAX_TITLE_WIDTH)}`,
  );
  const more = count > sessions.length ? [`and ${count - sessions.length} more: fuel-code sessions --live`] : [];
  return [['Live', plural(count, 'session')], ...[...lines, ...more].map((line): Fact => ['', line])];
}

/** `today $1.20 (2.1M tokens), this month $48.31 (95M tokens)` */
function describeUsage({ today, this_month }: StatusReport): string {
  if (this_month.messages === 0) return 'none this month';
  return `today ${describeSums(today)}, this month ${describeSums(this_month)}`;
}

function describeSums(sums: StatusReport['today'] | StatusReport['this_month']): string {
  const { messages, unpriced_messages, cost_nanos } = sums;
  if (messages === 0) return 'none';
  const unpriced = unpriced_messages > 0 ? `, ${plural(unpriced_messages, 'message')} without a price` : '';
  return `${formatNanos(cost_nanos)} (${compactPlural(allTokens(sums), 'token')}${unpriced})`;
}

function homeFact({ path, exists, same_as }: ClaudeHomeStatus, index: number): Fact {
  const note = same_as === null ? (exists ? '' : ' (not found)') : ` (the same folder as ${same_as})`;
  return [index === 0 ? 'Claude' : '', path + note];
}

function retentionFacts(report: RetentionReport): readonly Fact[] {
  const { expiring, only_here, lost, skipped } = report;
  const before = lost > 0 ? `, ${plural(lost, 'was', 'were')} lost before fuel-code was installed` : '';
  return [
    ['Files', describeFileCounts(report)],
    ['Skipped', skipped.length > 0 ? `${skipped.length}; \`fuel-code doctor\` lists them` : null],
    ['Expiring', describeExpiring(expiring)],
    ['Rescued', `${plural(only_here, 'session exists', 'sessions exist')} only here${before}`],
  ];
}

/** C8: transcripts that Claude Code deletes soon, when, and whether they are archived; null if there are none. */
function describeExpiring(expiring: readonly Expiring[]): string | null {
  const [next] = expiring;
  if (next === undefined) return null;
  const uncaptured = expiring.filter(({ is_captured }) => !is_captured).length;
  const kept = uncaptured === 0 ? 'all archived' : `${uncaptured} NOT archived yet: run fuel-code backfill`;
  const when = next.days_left <= 0 ? 'any time now' : `in ${plural(next.days_left, 'day')}`;
  return `Claude Code deletes ${plural(expiring.length, 'transcript')} within a week, the next one ${when}; ${kept}`;
}

function shippingFacts({ server, waiting, git_waiting, refused, paused, is_locked }: ShippingReport): readonly Fact[] {
  const left = [
    ...(waiting > 0 ? [`${plural(waiting, 'file')} waiting`] : []),
    ...(git_waiting > 0 ? [`${plural(git_waiting, 'git activity', 'git activities')} waiting`] : []),
  ];
  const aside = refused > 0 ? `, ${refused} refused (see \`fuel-code queue dead-letter\`)` : '';
  const help = is_locked ? ' Set serverToken to the token of the server; sending continues immediately.' : '';
  return [
    ['Server', `${server}: ${left.join(', ') || 'up to date'}${aside}`],
    ['', paused === null ? help : `Paused: ${paused}${help}`],
  ];
}

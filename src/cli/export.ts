import { createHash } from 'node:crypto';
import type { SessionFilters, SessionRow } from '../api/sessions.ts';
import { FuelError } from '../domain/errors.ts';
import { EXPORT_SCHEMA_VERSION, FOLDER_FORMATS, type FolderFormat, MAX_PAGE_ROWS } from '../domain/requests.ts';
import { plural } from '../reading/format.ts';
import { exportName, titleOf } from '../reading/names.ts';
import { VERSION } from '../version.ts';
import { interrupted } from './catch-up.ts';
import {
  type Command,
  type CommandContext,
  JSON_OPTION,
  NO_IMPORT_OPTION,
  type ParsedArguments,
  REMOTE_OPTIONS,
} from './command.ts';
import { type ExportFolder, openExportFolder } from './export-folder.ts';
import { ensureHasImages, ensureRedactable } from './export-session.ts';
import { printJson, printLine, printNote, RAW_WARNING } from './output.ts';
import { readChoice } from './parse-arguments.ts';
import { FILTER_OPTIONS, needsIndex, readFilter } from './session-filter.ts';
import { allPages, openSource, type Source } from './source.ts';

export const command: Command = {
  name: 'export',
  about: 'Export sessions into a folder, one file each, with an index. Unchanged sessions are skipped.',
  operands: '[query]',
  maxOperands: 32,
  options: {
    to: { type: 'string', value: 'FOLDER', about: 'Folder to write to (required); created if it does not exist.' },
    format: { type: 'string', value: 'FORMAT', values: FOLDER_FORMATS, about: 'md (default), html, json or csv.' },
    ...FILTER_OPTIONS,
    all: { type: 'boolean', about: 'Include sessions without a prompt.' },
    'no-images': { type: 'boolean', about: 'With --format html: name images instead of embedding them.' },
    raw: { type: 'boolean', about: 'Do not redact secrets; not for html.' },
    force: { type: 'boolean', about: 'Overwrite files that were not made by an export, or were changed since.' },
    'no-import': NO_IMPORT_OPTION,
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code export --to sessions', 'All sessions as Markdown, with an index.md.'],
    [
      'fuel-code export --format html --workspace shop --since 30d --to sessions',
      'Sessions of one workspace as pages.',
    ],
    ["fuel-code export 'cost>5' --format json --to data", 'By any fields of the search language.'],
  ],
  run: async (context, args) => {
    const now = context.clock.now();
    const request = readRequest(args);
    const filter = readFilter(args, now, args.positionals);
    await using source = await openSource(context, args, needsIndex(filter, now) ? 'index' : 'rows');
    const folder = await openExportFolder(request.to, request.format, { isForced: args.flags.has('force') });
    if (request.raw) printNote(context.terminal, RAW_WARNING);
    const report = await exportAll(context, {
      source,
      folder,
      request,
      filter: { ...filter, all: args.flags.has('all') },
    });
    const { indexText } = await import('../app/export-index.ts');
    const index = await folder.finish(indexText(request.format, folder.list(), { isRedacted: !request.raw }));
    printReport(context, args, { ...report, index });
  },
};

interface ExportRequest {
  readonly to: string;
  readonly format: FolderFormat;
  readonly raw: boolean;
  readonly images: boolean;
}

/** Errors: usage. */
function readRequest(args: ParsedArguments): ExportRequest {
  const { flags, values } = args;
  const to = values.get('to');
  if (to === undefined) {
    throw new FuelError('usage', '--to is required: the folder for the exported files.', {
      hint: 'For example: fuel-code export --to sessions',
    });
  }
  const format = readChoice(args, 'format', FOLDER_FORMATS) ?? 'md';
  const raw = flags.has('raw');
  ensureRedactable(format, raw);
  ensureHasImages(format, flags);
  return { to, format, raw, images: !flags.has('no-images') };
}

interface Task {
  readonly source: Source;
  readonly folder: ExportFolder;
  readonly request: ExportRequest;
  readonly filter: SessionFilters & { readonly all: boolean };
}

interface Report {
  readonly folder: string;
  readonly exported: number;
  readonly unchanged: number;
  readonly failed: readonly { readonly session_id: string; readonly error: string }[];
}

async function exportAll(context: CommandContext, { source, folder, request, filter }: Task): Promise<Report> {
  const { format, raw, images } = request;
  const redact = await openRowRedaction(context, request);
  let [exported, unchanged] = [0, 0];
  const failed: { session_id: string; error: string }[] = [];
  const fetch = (cursor: string | undefined) =>
    source.get('/sessions', { query: { ...filter, limit: MAX_PAGE_ROWS, cursor } });
  for await (const { sessions } of allPages(fetch)) {
    for (const row of sessions) {
      if (context.signal.aborted) throw interrupted(`Interrupted after ${plural(exported, 'session')}.`);
      const stamp = stampOf(context, request, row);
      if (folder.findCurrent(row.id, stamp) !== null) {
        unchanged += 1;
        continue;
      }
      try {
        const { texts } = await source.exportSession(row.id, { format, raw, images });
        await folder.write({ ...factsOf(redact(row)), stamp }, exportName(redact(row), request.format), texts);
        exported += 1;
      } catch (error) {
        failed.push({ session_id: row.id, error: skippable(error).message });
      }
    }
  }
  return { folder: folder.path, exported, unchanged, failed };
}

/** A session that cannot be exported does not stop the others; anything else does. */
function skippable(error: unknown): FuelError {
  if (error instanceof FuelError && (error.code === 'usage' || error.code === 'not_found')) return error;
  throw error;
}

async function openRowRedaction(
  { loaded }: CommandContext,
  { raw }: ExportRequest,
): Promise<(row: SessionRow) => SessionRow> {
  const { NO_REDACTION, openRedaction } = await import('../app/redaction.ts');
  const { rows } = raw ? NO_REDACTION : openRedaction(loaded.config);
  return (row) => rows(row);
}

function factsOf(row: SessionRow) {
  const { id: session_id, started_at, workspace_name: workspace, duration_ms, cost_estimate_usd: cost_usd } = row;
  return { session_id, title: titleOf(row), started_at, workspace, duration_ms, cost_usd };
}

/** Changes with the session, with the program and with what is redacted. */
function stampOf(
  { loaded }: CommandContext,
  request: ExportRequest,
  { updated_at, total_messages }: SessionRow,
): string {
  const { raw, images } = request;
  const facts = [EXPORT_SCHEMA_VERSION, VERSION, raw, images, loaded.config.redact, updated_at, total_messages];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

/** Errors: incomplete if some sessions could not be exported. */
function printReport(
  { terminal }: CommandContext,
  { flags }: ParsedArguments,
  report: Report & { readonly index: string },
): void {
  const { exported, unchanged, failed, folder } = report;
  if (flags.has('json')) printJson(terminal, report);
  else {
    printLine(terminal, `${plural(exported, 'session')} exported to ${folder}, ${unchanged} unchanged.`);
    for (const { session_id, error } of failed) printNote(terminal, `Not exported: ${session_id}: ${error}`);
  }
  if (failed.length > 0)
    throw new FuelError('incomplete', `${plural(failed.length, 'session')} could not be exported.`);
}

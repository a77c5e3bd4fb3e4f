import type { LiveNews } from '../api/live.ts';
import type { Get, Send } from '../api/table.ts';
import type { DataSource } from '../app/data-source.ts';
import type { App } from '../app/open-app.ts';
import { MINUTE_MS } from '../domain/durations.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { plural, unknownCaptures } from '../reading/format.ts';
import { catchUp, importUpdates, interrupted, isObjectStoreAway, withProgress } from './catch-up.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { printNote } from './output.ts';
import type { Terminal } from './terminal.ts';

export interface Derived {
  readonly sessions_parsed: number;
  readonly failed: readonly { readonly path: string; readonly error: string }[];
}

export interface FollowOptions {
  readonly sessionId: string | null;
  readonly imports: boolean;
  /** The cursor of the last event that was seen. */
  readonly since?: string | undefined;
}

/** An event with the position to continue from, if it has one. */
export type Followed = LiveNews & { readonly cursor: string | null };

/** The target of queries and commands: this machine or a server. */
export interface Source extends AsyncDisposable {
  readonly get: Get;
  readonly send: Send;
  readonly exportSession: DataSource['exportSession'];
  /** Reparses sessions from their archived bytes and waits for the result. */
  reparse(which: readonly string[] | 'all'): Promise<Derived>;
  /** Events from now on or from a cursor, until the command is stopped. */
  follow(options: FollowOptions): AsyncIterable<Followed>;
  /** Another process is importing into this store: answers may be incomplete. */
  readonly isImporting: boolean;
  /** The id of the machine that runs the command, if known. */
  readonly ownDeviceId: string | null;
  /** URL of the web page including the token; null if it is not being served. */
  readonly pageAddress: string | null;
}

/** Whether to query a server; nothing on this machine is opened then. */
export function isRemote({ flags, values }: ParsedArguments): boolean {
  return flags.has('remote') || values.has('server');
}

/** The options that select a server, to repeat them in another command. */
export function remoteWords({ flags, values }: ParsedArguments): readonly string[] {
  const server = values.get('server');
  return [...(flags.has('remote') ? ['--remote'] : []), ...(server === undefined ? [] : ['--server', server])];
}

/** What to import first on this machine: session rows, the full text as well, or nothing. */
type ImportScope = 'rows' | 'index' | 'nothing';

/**
 * Opens the source selected on the command line. Errors: those of openApp; unreachable, unauthorized, bad_config of a
 * server.
 */
export async function openSource(
  context: CommandContext,
  args: ParsedArguments,
  scope: ImportScope = 'nothing',
): Promise<Source> {
  if (isRemote(args)) return (await import('./remote-source.ts')).openRemoteSource(context, args);
  const app = await context.openApp();
  try {
    if (app.isReadOnly) printNote(context.terminal, readOnlyFolder(app.config.home));
    const imports = !app.isReadOnly && scope !== 'nothing' && !args.flags.has('no-import');
    const isImporting = imports && (await importFirst(context, app, scope === 'rows'));
    if (isImporting) {
      const { sessions } = await app.get('/status');
      printNote(
        context.terminal,
        `Another process is importing; showing the ${plural(sessions, 'session')} imported so far.`,
      );
    }
    await refuseLostDatabase(context.terminal, app);
    return localSource(context, app, isImporting);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** True when another process is importing. Without the object store, a note says that only stored data is shown. */
async function importFirst(context: CommandContext, app: App, rowsOnly: boolean): Promise<boolean> {
  try {
    return (await catchUp(context, app, { rowsOnly })) === null;
  } catch (error) {
    if (!(await canShowStored(error, app))) throw error;
    printNote(context.terminal, `${toFuelError(error).message} Showing stored data; nothing new is imported.`);
    return false;
  }
}

/** Whether there is something to show although the object store cannot be used; an empty answer would look complete. */
async function canShowStored(error: unknown, app: App): Promise<boolean> {
  return isObjectStoreAway(error, app) && (await app.get('/status')).sessions > 0;
}

/** Lines that say why a list of sessions is empty, and what to do about it. */
export async function whyNoSessions(
  { get, isImporting }: Pick<Source, 'get' | 'isImporting'>,
  isElsewhere: boolean,
): Promise<readonly string[]> {
  const { claude_home, claude_home_exists, sessions } = await get('/status');
  if (sessions > 0) return [`No sessions match (${sessions} in total).`];
  if (isImporting) return ['The first sessions are being imported.'];
  if (isElsewhere) return ['The server has no sessions yet.'];
  return [
    claude_home_exists
      ? `No sessions stored, and no new ones in ${claude_home}.`
      : `No Claude home found at ${claude_home}.`,
    'Run Claude Code once, or set CLAUDE_CONFIG_DIR to your Claude home.',
    'To try fuel-code with sample sessions: fuel-code demo',
  ];
}

interface Page {
  readonly next_cursor: string | null;
}

/** Fetches all pages. */
export async function* allPages<P extends Page>(fetch: (cursor: string | undefined) => Promise<P>): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

interface PagesWanted {
  readonly rows: number;
  readonly pageRows: number;
  readonly cursor?: string | undefined;
}

/** Fetches pages until there are as many rows as wanted, or no more. */
export async function* pagesOf<P extends Page>(
  { rows, pageRows, cursor: first }: PagesWanted,
  fetch: (limit: number, cursor: string | undefined) => Promise<P>,
  count: (page: P) => number,
): AsyncGenerator<P> {
  let [left, cursor] = [rows, first];
  do {
    const page = await fetch(Math.min(left, pageRows), cursor);
    left -= count(page);
    cursor = page.next_cursor ?? undefined;
    yield page;
  } while (cursor !== undefined && left > 0);
}

/** Warns that the output is incomplete because the archive holds captures that the database does not know. */
export async function warnUnknownCaptures(terminal: Terminal, app: App): Promise<void> {
  const count = await app.countUnknownCaptures();
  if (count > 0) printNote(terminal, unknownCaptures(count));
}

/**
 * The same check before a command prints anything. Errors: store_corrupt when there are no sessions at all, since "no
 * sessions" and a cost of zero would look like an answer.
 */
export async function refuseLostDatabase(terminal: Terminal, app: App): Promise<void> {
  const count = await countUnknown(app);
  if (count === 0) return;
  const { sessions } = await app.get('/status');
  if (sessions > 0) return printNote(terminal, unknownCaptures(count));
  throw new FuelError(
    'store_corrupt',
    `The database is empty, but the archive holds ${plural(count, 'capture')}: the database was lost or replaced.`,
    { hint: 'Run `fuel-code rebuild` to derive every session from the archive again.' },
  );
}

/** Zero if the object store cannot be asked: a database with sessions was not lost. */
async function countUnknown(app: App): Promise<number> {
  try {
    return await app.countUnknownCaptures();
  } catch (error) {
    if (await canShowStored(error, app)) return 0;
    throw error;
  }
}

export function readOnlyFolder(home: string): string {
  return `The data folder ${home} is not writable. Showing stored data; nothing new is imported.`;
}

/** The store of this machine. */
function localSource(context: CommandContext, app: App, isImporting: boolean): Source {
  return {
    get: app.get,
    exportSession: app.exportSession,
    send: async (name, ...rest) => {
      const { createCommands, sendTo } = await import('../app/commands.ts');
      return sendTo(createCommands(app, context.clock, () => {}))(name, ...rest);
    },
    reparse: async (which) => {
      const { reparse } = await import('../app/maintain.ts');
      const now = context.clock.now().toISOString();
      const derived = await withProgress(context, (run) => reparse(app, which, now, run));
      if (context.signal.aborted) throw interrupted(`Interrupted after ${plural(derived.sessions_parsed, 'session')}.`);
      return derived;
    },
    follow: (options) => followHere(context, app, options),
    isImporting,
    ownDeviceId: app.device.id,
    pageAddress: null,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const QUIET_MS = 60_000;

async function* followHere(
  context: CommandContext,
  app: App,
  { sessionId, imports, since }: FollowOptions,
): AsyncGenerator<Followed> {
  const { FOREIGN_MARK, follow, formatMark, parseMark } = await import('../app/live.ts');
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const importing = imports && !app.isReadOnly ? keepImporting({ ...context, signal }, app) : Promise.resolve();
  const lastSeen = since === undefined ? null : (parseMark(since) ?? FOREIGN_MARK);
  // A failing import ends the stream, too.
  const failed = importing.catch((error: unknown) => (stop.abort(), toFuelError(error)));
  for await (const { mark, ...event } of follow(app.live, {
    lastSeen,
    sessionId,
    signal,
    heartbeatMs: QUIET_MS,
    every: sessionId === null,
  })) {
    if (event.type !== 'heartbeat') yield { ...event, cursor: mark === null ? null : formatMark(mark) };
  }
  const error = await failed;
  if (error instanceof Error) throw error;
}

/** Checks periodically, in case a change was not reported. */
const MAX_IDLE_MS = 10 * MINUTE_MS;
const BUSY_MS = 1_000;

/** Imports while the user is following: when files change, and when sessions are due to end. */
async function keepImporting(context: CommandContext, app: App): Promise<void> {
  const { followFiles } = await import('../app/follow-files.ts');
  const { signal, clock } = context;
  const follower = followFiles(app.config, signal);
  const quiet = { ...context, terminal: { ...context.terminal, isInteractive: false } };
  try {
    while (!signal.aborted) {
      const report = await importUpdates(quiet, app, { rowsOnly: true });
      app.notifyProgress();
      const now = clock.now().getTime();
      const due = (await app.dueTimes()).filter((ms) => ms > now).map((ms) => ms - now);
      if ((await follower.next(report === null ? BUSY_MS : Math.min(MAX_IDLE_MS, ...due))) === 'stopped') return;
    }
  } finally {
    follower.close();
  }
}

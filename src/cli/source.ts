import type { LiveNews } from '../api/live.ts';
import type { Get, Send } from '../api/table.ts';
import type { DataSource } from '../app/data-source.ts';
import type { LiveEvent } from '../app/live/follow.ts';
import { plural } from '../reading/format.ts';
import { readOnlyFolder, refuseLostDatabase } from './archive-words.ts';
import { catchUp } from './catch-up.ts';
import type { CommandContext, ParsedArguments } from './command.ts';
import { localSource } from './local-source.ts';
import { remark } from './say.ts';

export interface Derived {
  readonly sessions_parsed: number;
  readonly failed: readonly { readonly path: string; readonly error: string }[];
}

/** The target of queries and commands: this machine or a server. */
export interface Source extends AsyncDisposable {
  readonly get: Get;
  readonly send: Send;
  readonly exportSession: DataSource['exportSession'];
  /** Reparses sessions from their archived bytes and waits for the result. */
  reparse(which: readonly string[] | 'all'): Promise<Derived>;
  /** Events from now on, until the command is stopped. */
  follow(options: {
    readonly sessionId: string | null;
    readonly imports: boolean;
  }): AsyncIterable<LiveEvent | LiveNews>;
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

/** What to import first on this machine: session rows, the full text as well, or nothing. */
type Brings = 'rows' | 'words' | 'nothing';

/**
 * Opens the source selected on the command line. Errors: those of openApp; unreachable, unauthorized, bad_config of a
 * server.
 */
export async function openSource(
  context: CommandContext,
  args: ParsedArguments,
  brings: Brings = 'nothing',
): Promise<Source> {
  if (isRemote(args)) return (await import('./remote/remote-source.ts')).openRemoteSource(context, args);
  const app = await context.openApp();
  try {
    if (app.isReadOnly) remark(context.terminal, readOnlyFolder(app.config.home));
    const imports = !app.isReadOnly && brings !== 'nothing' && !args.flags.has('no-import');
    const isImporting = imports && (await catchUp(context, app, { rowsOnly: brings === 'rows' })) === null;
    if (isImporting) {
      const { sessions } = await app.get('/status');
      remark(
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

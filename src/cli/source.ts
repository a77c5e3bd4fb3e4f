import type { LiveNews } from '../api/live.ts';
import type { Get, Send } from '../api/calls.ts';
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

/** Where answers come from and changes go to: this machine or a server. */
export interface Source extends AsyncDisposable {
  readonly get: Get;
  readonly send: Send;
  readonly exportSession: DataSource['exportSession'];
  /** Derives sessions again from their archived bytes, and waits for it. */
  reparse(which: readonly string[] | 'all'): Promise<Derived>;
  /** What happens from now on, until the command is stopped. */
  follow(options: {
    readonly sessionId: string | null;
    readonly imports: boolean;
  }): AsyncIterable<LiveEvent | LiveNews>;
  /** Another process is importing into this store: answers may be incomplete. */
  readonly isImporting: boolean;
  /** The machine that the terminal stands on, if it has a name. */
  readonly ownDeviceId: string | null;
  /** Where its page is, with the key to it; null when it is served nowhere yet. */
  readonly pageAddress: string | null;
}

/** Whether a server is to be asked; then nothing of this machine is opened. */
export function isRemote({ flags, values }: ParsedArguments): boolean {
  return flags.has('remote') || values.has('server');
}

/** What is brought in first on this machine: sessions as rows, their words too, or nothing. */
type Brings = 'rows' | 'words' | 'nothing';

/** Opens what the command line names. Errors: those of openApp; unreachable, unauthorized, bad_config of a server. */
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

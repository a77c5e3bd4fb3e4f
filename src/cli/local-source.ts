import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app/open-app.ts';
import type { LiveEvent } from '../app/live/follow.ts';
import { importUpdates, interrupted } from './catch-up.ts';
import type { CommandContext } from './command.ts';
import { withProgress } from './progress.ts';
import type { Source } from './source.ts';

/** The store of this machine. */
export function localSource(context: CommandContext, app: App, isImporting: boolean): Source {
  return {
    get: app.get,
    exportSession: app.exportSession,
    send: async (name, ...rest) => {
      const { createCommands, sendTo } = await import('../app/commands.ts');
      return sendTo(createCommands(app, context.clock, () => {}))(name, ...rest);
    },
    reparse: async (which) => {
      const { reparse } = await import('../app/run-by-hand.ts');
      const now = context.clock.now().toISOString();
      const derived = await withProgress(context, (run) => reparse(app, which, now, run));
      if (context.signal.aborted) throw interrupted(`Interrupted after ${derived.sessions_parsed} sessions.`);
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
  { sessionId, imports }: { readonly sessionId: string | null; readonly imports: boolean },
): AsyncGenerator<LiveEvent> {
  const { follow } = await import('../app/live/follow.ts');
  const importing = imports && !app.isReadOnly ? keepImporting(context, app) : Promise.resolve();
  yield* follow(app.live, { lastSeen: null, sessionId, signal: context.signal, stillHereMs: QUIET_MS });
  await importing;
}

const IMPORT_EVERY_MS = 1_000;

/** Keeps importing while the user is following. */
async function keepImporting(context: CommandContext, app: App): Promise<void> {
  const { signal } = context;
  while (!signal.aborted) {
    await Promise.race([
      sleep(IMPORT_EVERY_MS, undefined, { ref: false }),
      new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
    ]);
    if (signal.aborted) return;
    await importUpdates({ ...context, terminal: { ...context.terminal, isInteractive: false } }, app, {
      rowsOnly: true,
    });
    app.tellProgress();
  }
}

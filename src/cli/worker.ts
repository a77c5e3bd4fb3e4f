import process from 'node:process';
import { runWorker } from '../worker.ts';
import { withBackgroundLog } from './background-log.ts';
import type { Command } from './command.ts';

export const command: Command = {
  name: 'worker',
  about: 'Follow the transcripts of this machine in the background; hooks start it when it is needed.',
  isService: true,
  options: { once: { type: 'boolean', about: 'Look once and leave.' } },
  examples: [
    ['fuel-code worker', 'Follow until everything is quiet.'],
    ['fuel-code worker --once', 'For a timer of your own.'],
  ],
  run: async (context, args) => {
    const { loaded, clock, signal, terminal } = context;
    const { config } = loaded;
    const once = args.flags.has('once');
    if (terminal.isInteractive)
      terminal.err(`Following Claude Code sessions; exits when nothing happens. Press Ctrl-C to stop.\n`);
    const ran = await withBackgroundLog(context, { by: 'worker', config }, ({ log }) =>
      runWorker({ config, clock, log, signal, once, pid: process.pid }),
    );
    if (!ran) terminal.err('A worker is running already.\n');
  },
};

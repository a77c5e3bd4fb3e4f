import { join } from 'node:path';
import type { App } from '../../src/app/open-app.ts';
import { readDevice } from '../../src/capture/device.ts';
import type { CommandContext } from '../../src/cli/command.ts';
import { findCommand } from '../../src/cli/commands.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import type { Config } from '../../src/config.ts';
import { FuelError } from '../../src/domain/errors.ts';
import { serve } from '../../src/server/serve.ts';
import { fixedClock, silentLog } from './fixed-clock.ts';

export interface CommandWorld {
  readonly config: Config;
  openApp(): Promise<App>;
  readonly signal?: AbortSignal;
  readonly columns?: number;
  readonly isInteractive?: boolean;
  /** Standard input. */
  readonly input?: string;
  /** Settles when the reader of the output has caught up. */
  drain?(): Promise<void>;
  /** Called with the output so far whenever something is printed. */
  readonly onOut?: (text: string) => void;
}

export interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly opened: readonly string[];
  /** The FuelError it failed with. */
  readonly error: FuelError | null;
}

/** Runs one command in this process with an isolated environment. Errors that are not a FuelError are rethrown. */
export async function runCommand(words: readonly string[], world: CommandWorld): Promise<CommandRun> {
  const {
    config,
    openApp,
    signal = new AbortController().signal,
    columns = 100,
    isInteractive = false,
    onOut = () => {},
    input = '',
    drain = async () => {},
  } = world;
  const [name = '', ...rest] = words;
  const command = await findCommand(name);
  let [out, err] = ['', ''];
  const opened: string[] = [];
  const context: CommandContext = {
    configFile: join(config.home, 'config.json'),
    loaded: { config, sources: {} as CommandContext['loaded']['sources'] },
    clock: fixedClock,
    log: silentLog,
    signal,
    terminal: {
      columns,
      hasColor: false,
      isInteractive,
      out: (text) => {
        out += text;
        onOut(out);
      },
      err: (text) => void (err += text),
      drain,
      ask: async () => false,
    },
    openApp,
    deviceId: async () => readDevice(config.home)?.id ?? null,
    serve,
    printStatusLine: async () => {},
    serveMcp: async () => {},
    runCommand: async () => {},
    runProgram: async () => 0,
    pick: async () => Promise.reject(new Error('no keyboard')),
    listCommands: async () => [],
    readInput: async function* () {
      yield Buffer.from(input);
    },
    openBrowser: async (address) => void opened.push(address),
  };
  try {
    const args = parseArguments(command, rest);
    if (args !== 'help') await command.run(context, args);
    return { out, err, opened, error: null };
  } catch (error) {
    if (!(error instanceof FuelError)) throw error;
    return { out, err, opened, error };
  }
}

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../app.ts';
import { discoverFiles } from '../capture/discover.ts';
import { createIgnoreRule } from '../capture/ignore.ts';
import type { Config } from '../config.ts';
import { FuelError, toFuelError } from '../domain/errors.ts';
import { visibleLine } from '../lib/visible.ts';
import { loadSourceFiles } from '../store/queries/archive.ts';
import { type Command, type CommandContext, JSON_OPTION } from './command.ts';
import { paint } from './terminal.ts';

export const command: Command = {
  name: 'doctor',
  about: 'Check that everything fuel-code needs is in order, and say what to do where it is not.',
  options: { json: JSON_OPTION },
  examples: [
    ['fuel-code doctor', 'Check this machine.'],
    ['fuel-code doctor --json', 'The same for a program; the exit code tells too.'],
  ],
  run: async (context, args) => {
    const checks = await examine(context);
    const { terminal } = context;
    if (args.flags.has('json')) terminal.out(`${JSON.stringify(checks, null, 2)}\n`);
    else {
      for (const { name, state, message } of checks) {
        const mark = {
          ok: paint(terminal, 'green', 'ok  '),
          warn: paint(terminal, 'yellow', 'note'),
          bad: paint(terminal, 'red', 'BAD '),
        }[state];
        terminal.out(`${mark}  ${name.padEnd(16)}${visibleLine(message)}\n`);
      }
    }
    const bad = checks.filter(({ state }) => state === 'bad');
    if (bad.length > 0) throw new FuelError('bad_config', `${bad.length} of ${checks.length} checks failed.`);
  },
};

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly message: string;
}

async function examine(context: CommandContext): Promise<Check[]> {
  const { config } = context.loaded;
  const checks = [checkClaudeHome(config), checkDataFolder(config)];
  try {
    await using app = await context.openApp();
    checks.push({ name: 'store', state: 'ok', message: `${app.store.engine.name} answers` });
    checks.push(await checkCaptured(app));
  } catch (error) {
    const { message, hint } = toFuelError(error);
    checks.push({ name: 'store', state: 'bad', message: hint ? `${message} ${hint}` : message });
  }
  return checks;
}

function checkClaudeHome({ claudeHome }: Config): Check {
  const name = 'Claude home';
  if (existsSync(join(claudeHome, 'projects'))) return { name, state: 'ok', message: claudeHome };
  const message = `${claudeHome} has no projects folder: run Claude Code once, or set CLAUDE_CONFIG_DIR.`;
  return { name, state: 'warn', message };
}

function checkDataFolder({ home }: Config): Check {
  const name = 'data folder';
  if (!existsSync(home)) return { name, state: 'ok', message: `${home} will be made when it is needed` };
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { name, state: 'bad', message: `${home} is not yours to write: correct its owner, or set FUEL_CODE_HOME.` };
  }
  const others = statSync(home).mode & 0o077;
  if (others === 0) return { name, state: 'ok', message: `${home}, readable by you only` };
  return { name, state: 'warn', message: `${home} is open to other users: chmod 700 it.` };
}

async function checkCaptured(app: App): Promise<Check> {
  const { claudeHome, ignore } = app.config;
  const { files, skipped } = discoverFiles(claudeHome, createIgnoreRule(ignore));
  const known = await loadSourceFiles(app.store.engine.kysely, app.device.id, claudeHome);
  const waiting = files.filter(({ path, sizeBytes }) => (known.get(path)?.archivedBytes ?? 0) < sizeBytes).length;
  const unread = skipped.length > 0 ? `; ${skipped.length} not read (${skipped[0]?.path}: ${skipped[0]?.reason})` : '';
  const name = 'capture';
  if (waiting === 0)
    return { name, state: unread ? 'warn' : 'ok', message: `all ${files.length} files are archived${unread}` };
  return { name, state: 'warn', message: `${waiting} of ${files.length} files wait: run fuel-code backfill${unread}` };
}

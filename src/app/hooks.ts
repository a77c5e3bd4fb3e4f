import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import process from 'node:process';
import {
  type GitHooksOptions,
  type GitHooksReport,
  installGitHooks,
  readGitHooks,
  uninstallGitHooks,
} from '../capture/git/git-hooks.ts';
import { findRepository } from '../capture/git/repository.ts';
import { createGitRunner } from '../capture/git/run-git.ts';
import { readClientVersion } from '../capture/hook/hook-events.ts';
import type { Launcher } from '../capture/hook/hook-files.ts';
import {
  type HookChange,
  type HookContext,
  type HookStatus,
  installHooks,
  planHooks,
  prepareHooks,
  readHookStatus,
  uninstallHooks,
} from '../capture/hook/install.ts';
import { type HookTrial, tryHook } from '../capture/hook/try-hook.ts';
import { type LoadedConfig, OPTIONS, type OptionKey } from '../config.ts';
import { FuelError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { listKnownRepositories } from '../store/queries/git/repository-scans.ts';
import type { App } from './open-app.ts';

export type { HomeHooks, HookChange, HookStatus } from '../capture/hook/install.ts';
export type { HookTrial } from '../capture/hook/try-hook.ts';

export interface PlannedHooks {
  readonly change: HookChange;
  /** Null when the `claude` command was not found. */
  readonly clientVersion: string | null;
}

/** The hooks in the settings of Claude Code. */
export interface ClaudeHooks {
  install(): Promise<PlannedHooks>;
  plan(): Promise<PlannedHooks>;
  /** Writes what the hooks of the plugin need. */
  prepare(): void;
  uninstall(): HookChange;
  status(): Promise<HookStatus>;
  test(): Promise<HookTrial>;
}

export function claudeHooks(loaded: LoadedConfig, clock: Clock): ClaudeHooks {
  const { home, claudeHome } = loaded.config;
  const context: HookContext = { home, claudeHome, clock };
  return {
    install: async () => {
      const clientVersion = await readClientVersion();
      return { change: installHooks(context, launcher(loaded), clientVersion), clientVersion };
    },
    plan: async () => {
      const clientVersion = await readClientVersion();
      return { change: planHooks(context, clientVersion), clientVersion };
    },
    prepare: () => prepareHooks(context, launcher(loaded)),
    uninstall: () => uninstallHooks(context),
    status: async () => readHookStatus(context, await readClientVersion()),
    test: () => tryHook(context),
  };
}

/** The command line with which a hook starts the worker. */
function launcher(loaded: LoadedConfig): Launcher {
  return { node: process.execPath, program: realpathSync(process.argv[1] ?? ''), options: environmentOptions(loaded) };
}

/** Options that the user set in the environment also apply to a worker that a hook starts. */
function environmentOptions({ config, sources }: LoadedConfig): string[] {
  const keys = (Object.keys(OPTIONS) as OptionKey[]).filter((key) => {
    // Don't write an API key to disk that nothing will use.
    if (key === 'home' || (key === 'anthropicApiKey' && config.summaries !== 'ai')) return false;
    return sources[key] === 'environment';
  });
  const own = keys.map((key) => {
    const value = config[key];
    const separator = OPTIONS[key].type === 'paths' ? delimiter : ',';
    return `${OPTIONS[key].env}=${Array.isArray(value) ? value.join(separator) : String(value)}`;
  });
  return own.some((option) => option.startsWith('CLAUDE_CONFIG_DIR='))
    ? own
    : [`CLAUDE_CONFIG_DIR=${config.claudeHome}`, ...own];
}

export type { GitHooksReport } from '../capture/git/git-hooks.ts';

const ACTIONS = { install: installGitHooks, uninstall: uninstallGitHooks, status: readGitHooks } as const;

export type GitHooksAction = keyof typeof ACTIONS;

/** Installs, removes or reads the git hooks of one repository. */
export function runGitHooks(
  action: GitHooksAction,
  options: Pick<GitHooksOptions, 'folder' | 'home'>,
): Promise<GitHooksReport> {
  return ACTIONS[action]({ ...options, git: createGitRunner() });
}

/** The first of these folders that is a repository without our hooks, or null. */
export async function findWithoutGitHooks(folders: readonly string[], home: string): Promise<string | null> {
  const folder = folders.find((one) => findRepository(one) !== null);
  if (folder === undefined) return null;
  const { hooks } = await runGitHooks('status', { folder, home });
  return hooks.some(({ state }) => state !== 'absent') ? null : folder;
}

export interface AllGitHooks {
  readonly repositories: readonly GitHooksReport[];
  /** Unchanged repositories and the reasons. */
  readonly refused: readonly { readonly repository: string; readonly why: string }[];
}

/**
 * The same for every repository on this machine that sessions worked in. A global `core.hooksPath` would make git ignore
 * the hooks of each repository.
 */
export async function allGitHooks(
  { store, device, config }: Pick<App, 'store' | 'device' | 'config'>,
  action: GitHooksAction,
): Promise<AllGitHooks> {
  const known = await listKnownRepositories(store.engine.kysely, device.id);
  const found = known.map(({ root }) => findRepository(root)).filter((repository) => repository !== null);
  // Working trees share the hooks of their main repository.
  const byHooks = new Map(found.map((repository) => [repository.commonDir, repository]));
  const repositories: GitHooksReport[] = [];
  const refused: { repository: string; why: string }[] = [];
  for (const { root, mainRoot } of byHooks.values()) {
    try {
      repositories.push(await runGitHooks(action, { folder: root, home: config.home }));
    } catch (error) {
      if (!(error instanceof FuelError)) throw error;
      refused.push({ repository: mainRoot, why: error.message });
    }
  }
  return { repositories, refused };
}

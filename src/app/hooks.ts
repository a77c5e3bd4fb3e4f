import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import process from 'node:process';
import { readClientVersion } from '../capture/hook/client-version.ts';
import type { Launcher } from '../capture/hook/hook-files.ts';
import {
  type HookChange,
  type HookContext,
  type HookStatus,
  installHooks,
  planHooks,
  readHookStatus,
  uninstallHooks,
} from '../capture/hook/install.ts';
import { type HookTrial, tryHook } from '../capture/hook/try-hook.ts';
import { type LoadedConfig, type OptionKey, OPTIONS } from '../config.ts';
import type { Clock } from '../domain/ports.ts';

export type { HomeHooks, HookChange, HookStatus } from '../capture/hook/install.ts';
export type { HookTrial } from '../capture/hook/try-hook.ts';

export interface PlannedHooks {
  readonly change: HookChange;
  /** Null when no `claude` was found to ask. */
  readonly clientVersion: string | null;
}

/** The hooks in the settings of Claude Code. */
export interface ClaudeHooks {
  install(): Promise<PlannedHooks>;
  plan(): Promise<PlannedHooks>;
  uninstall(): HookChange;
  status(): Promise<HookStatus>;
  test(): Promise<HookTrial>;
}

export function claudeHooks(loaded: LoadedConfig, clock: Clock): ClaudeHooks {
  const { home, claudeHome } = loaded.config;
  const place: HookContext = { home, claudeHome, clock };
  return {
    install: async () => {
      const clientVersion = await readClientVersion();
      return { change: installHooks(place, launcher(loaded), clientVersion), clientVersion };
    },
    plan: async () => {
      const clientVersion = await readClientVersion();
      return { change: planHooks(place, clientVersion), clientVersion };
    },
    uninstall: () => uninstallHooks(place),
    status: async () => readHookStatus(place, await readClientVersion()),
    test: () => tryHook(place),
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

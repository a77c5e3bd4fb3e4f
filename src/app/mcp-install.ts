import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isPluginEnabled } from '../capture/hook/edit-hooks.ts';
import type { ServerEntry, ServerState } from '../capture/mcp/edit-servers.ts';
import {
  installServer,
  type McpChange,
  type McpFile,
  planServer,
  readServerState,
  uninstallServer,
} from '../capture/mcp/install-server.ts';
import { readSettings } from '../capture/settings/settings-file.ts';
import type { LoadedConfig } from '../config.ts';
import type { Clock } from '../domain/ports.ts';

export type { ServerEntry } from '../capture/mcp/edit-servers.ts';
export type { McpChange } from '../capture/mcp/install-server.ts';

/** `user`: every project of this person. `project`: everybody who works in this folder. */
export const MCP_SCOPES = ['user', 'project'] as const;
export type McpScope = (typeof MCP_SCOPES)[number];

export interface McpStatus {
  readonly scopes: readonly { readonly scope: McpScope; readonly path: string; readonly state: ServerState }[];
  /** The plugin contains the same server. */
  readonly plugin_enabled: boolean;
  /** The folder for `claude plugin marketplace add`; null if it is not part of this installation. */
  readonly plugin_folder: string | null;
}

/** Our entry in the files in which Claude Code looks for MCP servers. */
export interface McpInstallation {
  readonly entryOf: (scope: McpScope) => ServerEntry;
  plan(scope: McpScope): McpChange;
  install(scope: McpScope): McpChange;
  uninstall(scope: McpScope): McpChange;
  status(): McpStatus;
}

interface InstallOptions {
  readonly loaded: LoadedConfig;
  readonly clock: Clock;
  /** The project. */
  readonly folder: string;
  /** Options of `fuel-code mcp`, such as `--raw`. */
  readonly words: readonly string[];
}

export function mcpInstallation({ loaded, clock, folder, words }: InstallOptions): McpInstallation {
  const { home, claudeHome } = loaded.config;
  const entryOf = (scope: McpScope) => (scope === 'user' ? ownEntry(loaded, words) : sharedEntry(words));
  const fileOf = (scope: McpScope): McpFile => ({
    path: scope === 'user' ? statePath(loaded) : join(folder, '.mcp.json'),
    entry: entryOf(scope),
  });
  return {
    entryOf,
    plan: (scope) => planServer(fileOf(scope)),
    install: (scope) => installServer(home, fileOf(scope), clock),
    uninstall: (scope) => uninstallServer(home, fileOf(scope).path, clock),
    status: () => ({
      scopes: MCP_SCOPES.map((scope) => {
        const file = fileOf(scope);
        return { scope, path: file.path, state: readServerState(file) };
      }),
      plugin_enabled: hasPlugin(claudeHome),
      plugin_folder: findPluginFolder(),
    }),
  };
}

/** The client keeps its state beside the default home, and inside any other one. */
function statePath({ config, sources }: LoadedConfig): string {
  const isDefault = sources.claudeHome !== 'environment' && config.claudeHome === join(homedir(), '.claude');
  return isDefault ? join(homedir(), '.claude.json') : join(config.claudeHome, '.claude.json');
}

function program(): string {
  return realpathSync(process.argv[1] ?? '');
}

/**
 * Absolute paths, because the client may be started without our PATH. Only the folders are copied from the environment:
 * secrets do not belong in this file, and the server inherits the client's environment.
 */
function ownEntry({ config, sources }: LoadedConfig, words: readonly string[]): ServerEntry {
  const env = {
    ...(sources.home === 'environment' ? { FUEL_CODE_HOME: config.home } : {}),
    ...(sources.claudeHome === 'environment' ? { CLAUDE_CONFIG_DIR: config.claudeHome } : {}),
  };
  return { type: 'stdio', command: process.execPath, args: [program(), 'mcp', ...words], env };
}

/** Other people and machines read this file. */
function sharedEntry(words: readonly string[]): ServerEntry {
  return { type: 'stdio', command: 'fuel-code', args: ['mcp', ...words], env: {} };
}

function hasPlugin(claudeHome: string): boolean {
  try {
    return isPluginEnabled(readSettings(join(claudeHome, 'settings.json')) ?? '{}');
  } catch {
    // `fuel-code hooks status` says what is wrong with the settings.
    return false;
  }
}

/** Beside `bin/` of the package, or beside `src/` of the repository. */
function findPluginFolder(): string | null {
  const folder = join(program(), '..', '..', 'plugin');
  return existsSync(join(folder, '.claude-plugin/plugin.json')) ? folder : null;
}

import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Get } from '../api/table.ts';
import { type FolderWorkspace, findFolderWorkspace } from '../app/find-folder-workspace.ts';
import { FuelError } from '../domain/errors.ts';

/** The sessions a question is about: those of the current workspace unless it names another one. */
export interface Scope {
  /** The filter of queries. Errors: not_found if the current workspace has no sessions. */
  filter(asked: string | undefined): Promise<{ readonly workspace?: string }>;
  /** For the first line of an answer. */
  describe(asked: string | undefined): Promise<string>;
}

const ALL: ReadonlySet<string> = new Set(['all', '*']);

export interface ScopeOptions {
  readonly get: Get;
  readonly deviceId: string | null;
  /** The folder that the client works in. */
  folder(): Promise<string>;
}

export function createScope({ get, deviceId, folder }: ScopeOptions): Scope {
  let found: Promise<FolderWorkspace> | null = null;
  const current = () => {
    found ??= folder().then((path) => findFolderWorkspace(get, { folder: path, deviceId }));
    return found;
  };
  return {
    filter: async (asked) => {
      if (asked !== undefined) return ALL.has(asked.toLowerCase()) ? {} : { workspace: asked };
      const { id, name } = await current();
      if (id === null) throw noSessions(name);
      return { workspace: id };
    },
    describe: async (asked) => {
      if (asked === undefined) return `workspace ${(await current()).name}`;
      return ALL.has(asked.toLowerCase()) ? 'all workspaces' : `workspace ${asked}`;
    },
  };
}

function noSessions(name: string): FuelError {
  return new FuelError('not_found', `No sessions are stored for the current workspace (${name}).`, {
    hint: 'Set `workspace` to "all" to look at every workspace, or to the name of another one.',
  });
}

/** A client that never answers must not block a request. */
const ROOTS_TIMEOUT_MS = 2_000;

interface FolderFinder {
  find(): Promise<string>;
  /** The client's roots have changed. */
  forget(): void;
}

/** The folder the client works in: its first root that is a folder, or else the folder the server was started in. */
export function createFolderFinder(server: Server, startedIn: string): FolderFinder {
  let known: Promise<string> | null = null;
  return {
    find: () => {
      known ??= firstRoot(server).then((root) => root ?? startedIn);
      return known;
    },
    forget: () => {
      known = null;
    },
  };
}

async function firstRoot(server: Server): Promise<string | null> {
  if (server.getClientCapabilities()?.roots === undefined) return null;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS });
    return roots.map(({ uri }) => folderOf(uri)).find((path) => path !== null) ?? null;
  } catch {
    // Roots are optional, even for a client that announces them.
    return null;
  }
}

function folderOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

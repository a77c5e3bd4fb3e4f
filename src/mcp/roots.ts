import { fileURLToPath } from 'node:url';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';

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

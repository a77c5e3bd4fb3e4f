import type { Acts } from '../../../src/server/acts.ts';

/** Acts that change nothing. */
export function createEmptyActs(): Acts {
  return {
    tag: async () => {},
    pin: async () => {},
    addNote: async () => {},
    editNote: async () => {},
    removeNote: async () => {},
    summarise: async () => {},
    renameWorkspace: async () => {},
    mergeWorkspaces: async () => {},
    moveSession: async () => {},
    reparse: async () => {},
    archive: async () => true,
  };
}

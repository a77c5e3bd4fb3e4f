import type { Acts } from '../../../src/app/command-types.ts';

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
    renameDevice: async () => {},
    mergeDevices: async () => {},
    moveSession: async () => {},
    share: async () => ({ ...SHARE, path: '/s/0123456789abcdefghijkl' }),
    revokeShare: async () => {},
    reparse: async () => {},
    archive: async () => true,
  };
}

const SHARE = {
  id: '01JCS0000000000000000000AA',
  session_id: '6f1d2c3b-0000-4000-8000-000000000001',
  title: 'Fix the ferry timetable',
  note: null,
  size_bytes: 12,
  redacted: {},
  created_at: '2026-11-15T12:00:00.000Z',
  expires_at: '2026-11-22T12:00:00.000Z',
};

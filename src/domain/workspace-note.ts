import { isJsonObject } from './json.ts';
import type { JsonObject, JsonValue } from './transcript.ts';
import type { SeenFolder, WorkspaceIdentity } from './workspace.ts';

/**
 * What cannot be derived from transcripts: a user's decisions, and what a folder was when its sessions were seen. The
 * journal keeps these beside the captures, so that a rebuild produces the same workspaces.
 */
export type WorkspaceNote = { readonly at: string } & (
  | { readonly what: 'workspace_renamed'; readonly canonicalId: string; readonly displayName: string }
  | { readonly what: 'workspace_merged'; readonly from: string; readonly into: WorkspaceIdentity }
  | { readonly what: 'session_moved'; readonly sessionId: string; readonly workspace: WorkspaceIdentity }
  | {
      readonly what: 'session_seen';
      readonly sessionId: string;
      readonly deviceId: string;
      readonly workspace: WorkspaceIdentity;
      readonly folder: SeenFolder | null;
    }
);

/** A user's decisions about devices, kept in the same journal. */
export type DeviceNote = { readonly at: string } & (
  | { readonly what: 'device_renamed'; readonly deviceId: string; readonly name: string }
  | { readonly what: 'device_merged'; readonly from: string; readonly into: string }
);

const FORMAT = 1;

/** A note as a journal record. */
export function toJournal(note: WorkspaceNote | DeviceNote): JsonObject {
  return { format: FORMAT, ...(note as unknown as JsonObject) };
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/** Reads a note from a journal record; null for a capture, a newer format or a damaged record. */
export function fromJournal(record: JsonObject): WorkspaceNote | null {
  const { format, at, what, canonicalId, displayName, from, sessionId, deviceId }: Fields = record;
  if (format !== FORMAT || typeof at !== 'string') return null;
  if (what === 'workspace_renamed' && typeof canonicalId === 'string' && typeof displayName === 'string') {
    return { at, what, canonicalId, displayName };
  }
  const into = readIdentity(record.into);
  if (what === 'workspace_merged' && typeof from === 'string' && into !== null) return { at, what, from, into };
  const workspace = readIdentity(record.workspace);
  if (workspace === null || typeof sessionId !== 'string') return null;
  if (what === 'session_moved') return { at, what, sessionId, workspace };
  if (what !== 'session_seen' || typeof deviceId !== 'string') return null;
  return { at, what, sessionId, deviceId, workspace, folder: readFolder(record.folder) };
}

/** The same for a note about a device. */
export function deviceNoteFromJournal(record: JsonObject): DeviceNote | null {
  const { format, at, what, deviceId, name, from, into }: Fields = record;
  if (format !== FORMAT || typeof at !== 'string') return null;
  if (what === 'device_renamed' && typeof deviceId === 'string' && typeof name === 'string') {
    return { at, what, deviceId, name };
  }
  const isMerge = what === 'device_merged' && typeof from === 'string' && typeof into === 'string';
  return isMerge ? { at, what, from, into } : null;
}

function readIdentity(value: JsonValue | undefined): WorkspaceIdentity | null {
  const { canonicalId, displayName } = asFields(value);
  return typeof canonicalId === 'string' && typeof displayName === 'string' ? { canonicalId, displayName } : null;
}

function readFolder(value: JsonValue | undefined): SeenFolder | null {
  const { path, root, isRepository, worktreeName, fingerprint } = asFields(value);
  if (typeof path !== 'string' || typeof root !== 'string') return null;
  return {
    path,
    root,
    isRepository: isRepository === true,
    worktreeName: typeof worktreeName === 'string' ? worktreeName : null,
    fingerprint: typeof fingerprint === 'string' ? fingerprint : null,
  };
}

function asFields(value: JsonValue | undefined): Fields {
  return isJsonObject(value) ? value : {};
}

import { journalFields } from './journal-note.ts';
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

/** Reads a note about a workspace from a journal record; null for any other record. */
export function workspaceNoteFromJournal(record: JsonObject): WorkspaceNote | null {
  const { at, what, canonicalId, displayName, from, into, sessionId, deviceId, workspace, folder } =
    journalFields(record);
  if (typeof at !== 'string') return null;
  if (what === 'workspace_renamed' && typeof canonicalId === 'string' && typeof displayName === 'string') {
    return { at, what, canonicalId, displayName };
  }
  if (what === 'workspace_merged' && typeof from === 'string') {
    const target = readIdentity(into);
    return target && { at, what, from, into: target };
  }
  const identity = readIdentity(workspace);
  if (identity === null || typeof sessionId !== 'string') return null;
  if (what === 'session_moved') return { at, what, sessionId, workspace: identity };
  if (what !== 'session_seen' || typeof deviceId !== 'string') return null;
  return { at, what, sessionId, deviceId, workspace: identity, folder: readFolder(folder) };
}

/** Reads a note about a device from a journal record; null for any other record. */
export function deviceNoteFromJournal(record: JsonObject): DeviceNote | null {
  const { at, what, deviceId, name, from, into } = journalFields(record);
  if (typeof at !== 'string') return null;
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

function asFields(value: JsonValue | undefined): Readonly<Record<string, JsonValue | undefined>> {
  return isJsonObject(value) ? value : {};
}

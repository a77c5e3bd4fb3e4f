import type { NewShare, ShareWish } from '../domain/share.ts';
import type { TagMode } from '../domain/annotation.ts';

/**
 * All that the server ever changes. Whoever names a session or workspace may give a beginning that fits no other.
 * Errors: not_found, ambiguous, usage, too_large.
 */
export interface Acts {
  tag(session: string, mode: TagMode, tags: readonly string[]): Promise<void>;
  pin(session: string, isPinned: boolean): Promise<void>;
  addNote(session: string, text: string): Promise<void>;
  editNote(noteId: string, text: string): Promise<void>;
  removeNote(noteId: string): Promise<void>;
  /** A person's own words for a session; null takes them back. */
  summarise(session: string, text: string | null): Promise<void>;
  renameWorkspace(workspace: string, name: string): Promise<void>;
  /** Everything of the first goes to the second, now and later. */
  mergeWorkspaces(from: string, into: string): Promise<void>;
  renameDevice(device: string, name: string): Promise<void>;
  /** Everything of the first belongs to the second, now and later. */
  mergeDevices(from: string, into: string): Promise<void>;
  /** The session belongs to that workspace, for good. */
  moveSession(session: string, workspace: string): Promise<void>;
  /** A link to the page of a session as it is now. Errors: busy while the session does not stand still. */
  share(session: string, wish: ShareWish): Promise<NewShare>;
  revokeShare(shareId: string): Promise<void>;
  /** Derives a session again from its bytes, soon; an archived one gets its rows back that way. */
  reparse(session: string): Promise<void>;
  /** Removes the rows that the bytes can give again. False when it cannot be done now. */
  archive(session: string): Promise<boolean>;
}

import { z } from 'zod';
import { EVENT_TYPE_PATTERN, type Event, NO_SESSION } from '../domain/event.ts';
import { GIT_KINDS } from '../domain/git.ts';
import { SESSION_ID_PATTERN } from '../domain/session.ts';
import { serverEndpoint } from './endpoint.ts';

/** The description of an uploaded chunk: its device, its file, and its offset in a generation of that file. */

/** A device that sends another format is asked to update (E19). */
export const UPLOAD_FORMAT = 1;
export const MAX_CHUNK_BYTES = 8 * 1024 * 1024;
const MAX_ID_CHARS = 128;
const MAX_PATH_CHARS = 4_096;
const MAX_NAME_CHARS = 512;

const name = z
  .string()
  .min(1)
  .max(MAX_ID_CHARS)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');
const path = z.string().min(1).max(MAX_PATH_CHARS);
const size = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex');
const sessionId = z.string().regex(SESSION_ID_PATTERN, 'is not a session id');

const deviceSchema = z.strictObject({
  id: name,
  name,
  hostname: z.string().max(MAX_NAME_CHARS),
  os: z.string().max(MAX_ID_CHARS),
  arch: z.string().max(MAX_ID_CHARS),
});

const folderSchema = z.strictObject({
  path,
  root: path,
  is_repository: z.boolean(),
  worktree_name: z.string().max(MAX_NAME_CHARS).nullable(),
  fingerprint: z.string().max(MAX_NAME_CHARS).nullable(),
});

const workspaceSchema = z.strictObject({
  canonical_id: z.string().min(1).max(MAX_PATH_CHARS),
  display_name: z.string().min(1).max(MAX_PATH_CHARS),
  /** True when a person chose this workspace. */
  is_chosen: z.boolean(),
  folder: folderSchema.nullable(),
});

export const uploadSchema = z.strictObject({
  format: z.literal(UPLOAD_FORMAT),
  device: deviceSchema,
  file: z.strictObject({
    root: path,
    path,
    kind: z.string().regex(/^[a-z_]{1,32}$/),
    state: z.enum(['archived', 'captured', 'gone']),
    session_id: sessionId.nullable(),
    agent_id: z.string().max(MAX_NAME_CHARS).nullable(),
    mtime_ms: size,
    inode: z.string().max(MAX_ID_CHARS),
  }),
  generation: z.strictObject({
    number: z.int().min(1).max(1_000_000),
    is_current: z.boolean(),
    size_bytes: size,
    head_sha256: sha256,
    tail_sha256: sha256,
    /** Hash of the whole generation; null until the device has compared it with the file. */
    sha256: sha256.nullable(),
  }),
  workspace: workspaceSchema.nullable(),
  chunk: z.strictObject({ offset: size, size_bytes: size.max(MAX_CHUNK_BYTES), sha256 }),
});

/** The `Fuel-Session` header: describes a session that the server does not know yet. */
export const describedSessionSchema = z.strictObject({
  device: deviceSchema,
  /** How the session started: startup, resume, clear, compact, fork, backfill. */
  source: z.string().max(MAX_ID_CHARS).optional(),
  workspace: workspaceSchema.pick({ canonical_id: true, display_name: true }).optional(),
});
export type DescribedSession = z.infer<typeof describedSessionSchema>;

export type Upload = z.infer<typeof uploadSchema>;
export type UploadDevice = z.infer<typeof deviceSchema>;
export type UploadWorkspace = z.infer<typeof workspaceSchema>;

export const storedSchema = z.object({
  status: z.enum(['uploaded', 'already_uploaded']),
  /** Bytes of the generation that the server has now. */
  size_bytes: z.number(),
});

export const MAX_EVENTS = 200;

export const eventSchema = z.object({
  id: z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'must be a ULID'),
  type: z.string().regex(EVENT_TYPE_PATTERN),
  timestamp: z.iso.datetime(),
  /** Null for an event of a script that belongs to no session. */
  session_id: sessionId.nullable(),
  workspace: workspaceSchema.pick({ canonical_id: true, display_name: true }).strip().optional(),
  data: z.record(z.string(), z.json()),
});

/** The event that was sent, without its device. */
export function readEventItem(item: z.infer<typeof eventSchema>): Omit<Event, 'device_id'> {
  return { ...item, session_id: item.session_id ?? NO_SESSION };
}

const eventBatchSchema = z.strictObject({
  device: deviceSchema,
  /** Validated one by one, so that an invalid event does not reject the others. */
  events: z.array(z.unknown()).min(1).max(MAX_EVENTS),
});

/** The result for each item. */
export const ingestResultsSchema = z.object({
  results: z.array(
    z.object({
      id: z.string().nullable(),
      status: z.enum(['accepted', 'duplicate', 'rejected']),
      reason: z.string().optional(),
    }),
  ),
});
export type IngestResults = z.infer<typeof ingestResultsSchema>;

export const MAX_GIT_ITEMS = 200;
const MAX_MESSAGE_CHARS = 16 * 1024;
const MAX_FOLDERS = 200;

const identitySchema = workspaceSchema.pick({ canonical_id: true, display_name: true }).strip();
const shortText = z.string().max(MAX_PATH_CHARS).nullable();
const figure = size.nullable();

/** Git activity in a repository of the device, or the working trees that a session used. */
export const gitItemSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('activity'),
    id: z.string().regex(/^git_[0-9a-f]{32}$/, 'is not an activity id'),
    type: z.enum(GIT_KINDS),
    timestamp: z.iso.datetime(),
    workspace: identitySchema,
    commit_sha: z.string().max(MAX_ID_CHARS).nullable(),
    branch: shortText,
    message: z.string().max(MAX_MESSAGE_CHARS).nullable(),
    files_changed: figure,
    insertions: figure,
    deletions: figure,
    folder: shortText,
    worktree_name: shortText,
    /** Its position in the log among entries of the same second. */
    sequence: size.optional(),
    data: z.record(z.string(), z.json()),
  }),
  z.object({
    kind: z.literal('folders'),
    id: sessionId,
    folders: z.array(z.object({ folder: path, workspace: identitySchema })).max(MAX_FOLDERS),
  }),
]);
export type GitItem = z.infer<typeof gitItemSchema>;

export const gitBatchSchema = z.strictObject({
  device: deviceSchema,
  /** Increases with every request of the device, so that a delayed request can be recognized. */
  order: size,
  /** Validated one by one, so that an invalid item does not reject the others. */
  items: z.array(z.unknown()).min(1).max(MAX_GIT_ITEMS),
});
export type GitBatch = z.infer<typeof gitBatchSchema>;

export const transcriptAnswer = z.strictObject({
  status: z.enum(['uploaded', 'already_uploaded']),
  size_bytes: z.number(),
  sha256: z.string(),
  generation: z.number(),
});

export const MAX_DELETIONS = 200;

const deletedSchema = z.strictObject({
  id: sessionId,
  deleted_at: z.iso.datetime(),
});
export type DeletedItem = z.infer<typeof deletedSchema>;

const deletionBatchSchema = z.strictObject({
  device: deviceSchema,
  deletions: z.array(deletedSchema).max(MAX_DELETIONS),
});

/** Uploads from other devices. */
export const ingestEndpoints = {
  'POST /events/ingest': serverEndpoint({
    about: 'Accepts up to 200 events from another device and returns a result for each.',
    body: eventBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /git/ingest': serverEndpoint({
    about: 'Accepts up to 200 git activities from another device and returns a result for each.',
    body: gitBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /deletions/ingest': serverEndpoint({
    about: 'Deletes sessions that their device has deleted and returns a result for each.',
    body: deletionBatchSchema,
    answer: ingestResultsSchema,
  }),
  'POST /files/upload': serverEndpoint({
    about: 'Accepts a chunk of a file from another device, described by the header `Fuel-Upload`.',
    body: 'bytes',
    answer: storedSchema,
  }),
  'POST /sessions/:id/transcript/upload': serverEndpoint({
    about:
      'Accepts the complete transcript of a session; changed bytes are stored as a new generation. An unknown session is created from the header `Fuel-Session`.',
    body: 'bytes',
    answer: transcriptAnswer,
  }),
};

import type { EventsQuery, TimelineQuery, WorkspacesQuery } from '../api/around.ts';
import type { SessionsQuery } from '../api/sessions.ts';
import type { UsageQuery } from '../api/usage.ts';
import type { FilesQuery, ToolsQuery } from '../api/work.ts';
import type { DocumentPage } from '../domain/document.ts';
import type { CostQuery, CostReport } from '../domain/cost.ts';
import type { SearchAnswer, SearchQuestion } from '../domain/search.ts';
import type { DriftAnswer } from '../domain/drift.ts';
import type {
  ArchiveLinks,
  BatchStatus,
  FileStats,
  MessagePath,
  SessionDetail,
  SessionPage,
  SessionStep,
  StatusReport,
  ToolStats,
  TranscriptPage,
  TranscriptQuery,
  UsageReport,
} from '../domain/query.ts';
import type { Share, SharePreview } from '../domain/share.ts';
import type { ByteRange } from '../archive/read-range.ts';
import type { SharedPage } from '../share/open-share.ts';
import type { PageFile } from '../share/page/page.ts';
import type { DeviceDetail, DeviceRow } from '../store/queries/devices/devices.ts';
import type { EventPage } from '../store/queries/events/events.ts';
import type { GitPage } from '../store/queries/git/git-activity.ts';
import type { PartName, PartPage, PartQuery } from '../store/queries/transcript/parts.ts';
import type { SessionUsage } from '../store/queries/sessions/session-usage.ts';
import type { TeamPage } from '../store/queries/transcript/teams.ts';
import type { TimelinePage } from '../store/queries/sessions/timeline.ts';
import type { WorkspaceDetail, WorkspacePage } from '../store/queries/workspaces/workspace-rows.ts';
import type { LiveSource } from './live/follow.ts';

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** A file of the archive, ready to be read. */
export interface OpenedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Changes whenever its bytes do. */
  readonly tag: string;
  read(range: ByteRange): AsyncGenerator<Uint8Array>;
  /** Errors: usage where there is no bucket. */
  links(): Promise<ArchiveLinks>;
}

/**
 * All that the server ever asks of the store; the demo is a second one of these. Whoever names a session, workspace or
 * machine may give a beginning that fits no other. Errors: not_found, ambiguous.
 */
export interface Reads {
  listSessions(query: Partial<SessionsQuery>): Promise<SessionPage>;
  getSession(idOrPrefix: string): Promise<SessionDetail>;
  batchStatus(ids: readonly string[]): Promise<BatchStatus>;
  getTranscript(idOrPrefix: string, query: TranscriptQuery): Promise<TranscriptPage>;
  getPath(idOrPrefix: string, messageId: string): Promise<MessagePath>;
  openFile(idOrPrefix: string, path: string | undefined): Promise<OpenedFile>;
  listParts<T extends PartName>(table: T, idOrPrefix: string, query: PartQuery): Promise<PartPage<T>>;
  listEvents(idOrPrefix: string, query: PageQuery): Promise<EventPage>;
  /** Events of all sessions, newest first. */
  listAllEvents(query: EventsQuery): Promise<EventPage>;
  listGit(idOrPrefix: string, query: PageQuery): Promise<GitPage>;
  listDocuments(idOrPrefix: string, query: Omit<PartQuery, 'where'>): Promise<DocumentPage>;
  listSteps(idOrPrefix: string): Promise<readonly SessionStep[]>;
  getUsage(idOrPrefix: string): Promise<SessionUsage>;
  /** The whole parse of a session as JSON, piece by piece, straight from the archived bytes; redacted unless `raw`. */
  exportSession(idOrPrefix: string, options: { readonly raw: boolean }): Promise<PageFile>;
  /** A session as one redacted HTML file. Errors: usage for one whose rows are archived. */
  openPage(idOrPrefix: string): Promise<PageFile>;
  /** Links that work: to one session, or all. */
  listShares(idOrPrefix?: string): Promise<readonly Share[]>;
  previewShare(idOrPrefix: string): Promise<SharePreview>;
  /** The page behind a link; null whatever the reason is that there is none. */
  openShare(token: string): Promise<SharedPage | null>;
  timeline(query: TimelineQuery): Promise<TimelinePage>;
  listWorkspaces(query: WorkspacesQuery): Promise<WorkspacePage>;
  getWorkspace(name: string): Promise<WorkspaceDetail>;
  listDevices(): Promise<readonly DeviceRow[]>;
  getDevice(name: string): Promise<DeviceDetail>;
  listTeams(query: PageQuery): Promise<TeamPage>;
  usage(query: UsageQuery): Promise<UsageReport>;
  cost(query: CostQuery): Promise<CostReport>;
  toolStats(query: ToolsQuery): Promise<readonly ToolStats[]>;
  fileStats(query: FilesQuery): Promise<readonly FileStats[]>;
  drift(): Promise<DriftAnswer>;
  /** Errors: bad_query with the position; usage for a cursor that is not ours. */
  search(question: SearchQuestion): Promise<SearchAnswer>;
  status(): Promise<StatusReport>;
  /** Settles when the database has answered. */
  ping(): Promise<void>;
  readonly live: LiveSource;
}

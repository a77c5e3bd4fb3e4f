export type { ArchiveLinks } from '../api/answers/archive.ts';
export type { ImportProgress, StatusReport } from '../api/answers/server.ts';
export type { SessionDetail, SessionRow } from '../api/answers/session.ts';
export type { BlockRow, MessageRow, TranscriptPage } from '../api/answers/transcript.ts';
export type { TranscriptQuery } from '../api/transcript.ts';
export { MAX_PAGE_ROWS } from './page-rows.ts';

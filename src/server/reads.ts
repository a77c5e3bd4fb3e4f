import type {
  SearchHit,
  SessionDetail,
  SessionPage,
  SessionQuery,
  StatusReport,
  TranscriptPage,
  TranscriptQuery,
} from '../domain/query.ts';

/** All that the server ever asks of the store. The demo is a second one of these. */
export interface Reads {
  listSessions(query: SessionQuery): Promise<SessionPage>;
  /** Errors: not_found, ambiguous. */
  getSession(idOrPrefix: string): Promise<SessionDetail>;
  getTranscript(sessionId: string, query: TranscriptQuery): Promise<TranscriptPage>;
  search(text: string, limit: number): Promise<readonly SearchHit[]>;
  status(): Promise<StatusReport>;
}

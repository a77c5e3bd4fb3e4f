import type { SearchAnswer, SearchQuestion } from '../domain/search.ts';
import type {
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
  /** Errors: bad_query with the position; usage for a cursor that is not ours. */
  search(question: SearchQuestion): Promise<SearchAnswer>;
  status(): Promise<StatusReport>;
}

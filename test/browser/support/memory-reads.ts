import { FuelError } from '../../../src/domain/errors.ts';
import type { MessageRow, SearchHit, SessionDetail, StatusReport } from '../../../src/domain/query.ts';
import type { Reads } from '../../../src/server/reads.ts';
import { makeStatus } from './make-rows.ts';

export interface MemoryData {
  readonly sessions: readonly SessionDetail[];
  readonly messages: ReadonlyMap<string, readonly MessageRow[]>;
  readonly status?: StatusReport;
}

/** The store's reads over plain arrays, for tests of what stands in front of it. */
export function createMemoryReads(data: MemoryData): Reads {
  const sorted = data.sessions.toSorted((a, b) => b.started_at.localeCompare(a.started_at));

  return {
    async listSessions({ limit = 50, cursor, lifecycle, workspaceId, deviceId }) {
      if (cursor !== undefined && !/^at-\d{1,9}$/.test(cursor)) throw new FuelError('usage', 'The cursor is not ours.');
      const fitting = sorted.filter(
        (row) =>
          (lifecycle === undefined || lifecycle.includes(row.lifecycle)) &&
          (workspaceId === undefined || row.workspace_id === workspaceId) &&
          (deviceId === undefined || row.device_id === deviceId),
      );
      const start = cursor === undefined ? 0 : Number(cursor.slice(3));
      const end = start + limit;
      const hasMore = end < fitting.length;
      return { sessions: fitting.slice(start, end), next_cursor: hasMore ? `at-${end}` : null, has_more: hasMore };
    },
    async getSession(idOrPrefix) {
      const found = sorted.filter((row) => row.id.startsWith(idOrPrefix));
      if (found.length > 1) throw new FuelError('ambiguous', 'Several sessions begin like that.');
      if (found[0] === undefined) throw new FuelError('not_found', 'No session goes by that id.');
      return found[0];
    },
    async getTranscript(sessionId, { after = -1, limit = 200 }) {
      const all = (data.messages.get(sessionId) ?? []).filter((message) => message.ordinal > after);
      const page = all.slice(0, limit);
      return { messages: page, next_after: all.length > limit ? (page.at(-1)?.ordinal ?? null) : null };
    },
    async search(text, limit) {
      return [...hits(data, text.toLowerCase())].slice(0, limit);
    },
    async status() {
      return data.status ?? makeStatus({ sessions: sorted.length });
    },
  };
}

const SNIPPET_CHARS = 60;

function* hits(data: MemoryData, needle: string): Iterable<SearchHit> {
  for (const session of data.sessions) {
    for (const message of data.messages.get(session.id) ?? []) {
      for (const block of message.content_blocks) {
        const text = block.content_text ?? block.result_text ?? '';
        const at = text.toLowerCase().indexOf(needle);
        if (at < 0) continue;
        yield {
          session_id: session.id,
          message_id: message.id,
          ordinal: message.ordinal,
          kind: block.block_type,
          snippet: text.slice(Math.max(0, at - SNIPPET_CHARS), at + needle.length + SNIPPET_CHARS),
          title: session.title,
          started_at: session.started_at,
        };
      }
    }
  }
}

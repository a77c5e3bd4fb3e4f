import type { Outline } from '../../../src/api/outline.ts';
import type { FoundSession, SearchHit } from '../../../src/api/search.ts';
import type { StatusReport } from '../../../src/api/server.ts';
import type { SessionDetail } from '../../../src/api/sessions.ts';
import type { CallFacts, MessageRow } from '../../../src/api/transcript.ts';
import type { DataSource } from '../../../src/app/data-source.ts';
import type { Queries } from '../../../src/app/queries.ts';
import { FuelError } from '../../../src/domain/errors.ts';
import { outlineSince } from '../../../src/reading/outline-growth.ts';
import type { PartRows } from '../../../src/reading/parts.ts';
import { createEmptyData } from './empty-data.ts';
import { makeCallFacts, makeFoundSession, makeHit, makeStatus } from './make-rows.ts';
import { outlineInMemory } from './memory-outline.ts';
import { partQueries } from './part-queries.ts';

export interface MemoryData {
  readonly sessions: readonly SessionDetail[];
  readonly messages: ReadonlyMap<string, readonly MessageRow[]>;
  readonly status?: StatusReport;
  /** The same for every session. */
  readonly parts?: Partial<PartRows>;
}

/** A data source over plain arrays, for tests of the code in front of it. */
export function createMemoryData(data: MemoryData): DataSource {
  const sorted = data.sessions.toSorted((a, b) => b.started_at.localeCompare(a.started_at));

  /** By revision, for pages that request changes only. */
  const outlines = new Map<string, Outline>();
  return createEmptyData({
    async 'GET /sessions'({ query: { limit, cursor, lifecycle, workspace_id, device_id, title, q } }) {
      if (cursor !== undefined && !/^at-\d{1,9}$/.test(cursor)) throw new FuelError('usage', 'The cursor is not ours.');
      const fitting = sorted.filter(
        (row) =>
          (q !== 'is:pinned' || row.is_pinned) &&
          (lifecycle === undefined || lifecycle.includes(row.lifecycle)) &&
          (title === undefined || row.title?.toLowerCase().includes(title.toLowerCase()) === true) &&
          (workspace_id === undefined || row.workspace_id === workspace_id) &&
          (device_id === undefined || row.device_id === device_id),
      );
      const start = cursor === undefined ? 0 : Number(cursor.slice(3));
      const end = start + limit;
      const hasMore = end < fitting.length;
      return {
        sessions: fitting.slice(start, end),
        next_cursor: hasMore ? `at-${end}` : null,
        has_more: hasMore,
        hidden: 0,
      };
    },
    async 'GET /sessions/:id'({ params }) {
      const found = sorted.filter((row) => row.id.startsWith(params.id));
      if (found.length > 1) throw new FuelError('ambiguous', 'Several sessions begin like that.');
      if (found[0] === undefined) throw new FuelError('not_found', 'No session with that id.');
      return found[0];
    },
    async 'GET /sessions/:id/transcript'({ params, query: { after = -1, limit, agent_id: wanted } }) {
      const all = (data.messages.get(params.id) ?? []).filter(
        ({ ordinal, agent_id }) => ordinal > after && (wanted === undefined || wanted.includes(agent_id ?? 'main')),
      );
      const page = all.slice(0, limit).map((message) => withFacts(message, data.parts?.tool_calls ?? []));
      return { messages: page, next_after: all.length > limit ? (page.at(-1)?.ordinal ?? null) : null };
    },
    async 'GET /sessions/:id/outline'({ params, query: { since = '' } }) {
      const outline = outlineInMemory(data.messages.get(params.id) ?? [], data.parts ?? {});
      const before = outlines.get(since);
      outlines.set(outline.revision, outline);
      return before === undefined ? outline : outlineSince(before, outline);
    },
    ...partQueries(data.parts ?? {}),
    ...hitQueries(data),
    async 'GET /search'({ query: { q: query, limit } }) {
      const found = sorted.flatMap((session) => findIn(session, data, query.trim().toLowerCase()));
      const places = found.reduce((sum, session) => sum + session.places, 0);
      const total = { sessions: found.length, places };
      return { query, sessions: found.slice(0, limit), total, cut: null, next_cursor: null };
    },
    async 'GET /status'() {
      return data.status ?? makeStatus({ sessions: sorted.length });
    },
  });
}

function hitQueries(data: MemoryData): Pick<Queries, 'GET /sessions/:id/hits'> {
  return {
    async 'GET /sessions/:id/hits'({ params, query: { q } }) {
      const needle = q.trim().toLowerCase();
      const hits = (data.messages.get(params.id) ?? []).flatMap((message) => hitsOf(message, needle));
      const terms = [{ kind: 'pattern', source: needle, is_regex: false, is_case_sensitive: false }] as const;
      return { query: q, terms, hits, total: hits.length, is_complete: true };
    },
  };
}

/** Calls come with the facts about them. */
function withFacts(message: MessageRow, facts: PartRows['tool_calls']): MessageRow {
  const factsOf = (callId: string | null): CallFacts | null => {
    const found = facts.find(({ id }) => id === callId);
    return found === undefined ? null : makeCallFacts(withoutId(found));
  };
  return {
    ...message,
    content_blocks: message.content_blocks.map((block) =>
      block.block_type === 'tool_use' ? { ...block, call: block.call ?? factsOf(block.tool_use_id) } : block,
    ),
  };
}

function withoutId({ status, denial, exit_code, duration_ms }: PartRows['tool_calls'][number]) {
  return { status, denial, exit_code, duration_ms };
}

const SNIPPET_CHARS = 60;
const HITS_A_SESSION = 3;

function findIn(session: SessionDetail, data: MemoryData, needle: string): FoundSession[] {
  const hits = (data.messages.get(session.id) ?? []).flatMap((message) => hitsOf(message, needle));
  if (hits.length === 0) return [];
  const { id, title, started_at, workspace_name } = session;
  const best = hits.slice(0, HITS_A_SESSION);
  return [makeFoundSession({ session_id: id, title, started_at, workspace_name, hits: best, places: hits.length })];
}

function hitsOf(message: MessageRow, needle: string): SearchHit[] {
  return message.content_blocks.flatMap((block) => {
    const text = block.content_text ?? block.result_text ?? '';
    const at = text.toLowerCase().indexOf(needle);
    if (at < 0) return [];
    const from = Math.max(0, at - SNIPPET_CHARS);
    const snippet = text.slice(from, at + needle.length + SNIPPET_CHARS);
    const highlights = [[at - from, at - from + needle.length]] as const;
    const place = { message_id: message.id, ordinal: message.ordinal, block: block.block_order };
    return [makeHit({ ...place, snippet, highlights })];
  });
}

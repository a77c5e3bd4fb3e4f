import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MarkdownOfRange } from '../../src/api/find.ts';
import type { MessageRow, TranscriptPage } from '../../src/api/transcript.ts';
import { separateEntries } from '../../src/reading/entries.ts';
import { type Entry, placeOf } from '../../src/reading/entry.ts';
import { toolKind } from '../../src/reading/kinds.ts';
import { NO_PARTS } from '../../src/reading/parts.ts';
import { countHits, entryText } from '../../src/reading/view-text.ts';
import { transcriptBytes } from '../../src/transcript/testing/arbitrary-transcript.ts';
import { PROGRAMS } from '../support/programs.ts';
import { scaled } from '../support/sizes.ts';
import { useImportedProgram } from '../support/use-program.ts';

const FIXTURES = new URL('../../src/transcript/fixtures/', import.meta.url);
const idOf = (number: number) => `${String(number).padStart(8, '0')}-aaaa-4333-8444-555555555555`;

/** All transcripts in the repository, and generated ones. */
function transcripts(): readonly (string | Uint8Array)[] {
  const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const generated = fc.sample(transcriptBytes, { numRuns: scaled(20), seed: 13 });
  return [...files.map((name) => readFileSync(new URL(name, FIXTURES))), ...generated];
}

/** The kind of an item by its entry. */
function kindOf(entry: Entry): string {
  if (entry.kind === 'tool') return toolKind(entry.call.toolName);
  return entry.kind === 'notice' && entry.isError ? 'error' : entry.kind;
}

describe.each(PROGRAMS)('outlines and entries, on $name', ({ create }) => {
  const used = useImportedProgram(create, (home) => {
    for (const [number, bytes] of transcripts().entries()) home.write(`-home-ada-shop/${idOf(number)}.jsonl`, bytes);
  });
  let ids: readonly string[] = [];
  beforeAll(async () => {
    ids = (await used.app.get('/sessions', { query: { all: true, limit: 200 } })).sessions.map(({ id }) => id);
  });

  const entriesIn = async (id: string) => {
    const messages: MessageRow[] = [];
    for (let after: number | null = -1; after !== null; ) {
      const page: TranscriptPage = await used.app.get('/sessions/:id/transcript', {
        params: { id },
        query: { after, limit: 200 },
      });
      messages.push(...page.messages);
      after = page.next_after;
    }
    return separateEntries(messages, { parts: NO_PARTS, cwd: null }).filter(({ kind }) => kind !== 'empty');
  };

  it('an outline has exactly the items of the entries, with the same kinds and results', async () => {
    expect(ids.length).toBeGreaterThan(20);
    for (const id of ids) {
      const { items, kinds } = await used.app.get('/sessions/:id/outline', { params: { id } });
      const shown = items.ordinal.map((ordinal, at) => ({
        ordinal,
        block: items.block[at],
        kind: kinds[items.kind[at] ?? -1],
        result: items.result[at],
      }));
      const entries = (await entriesIn(id)).map((entry) => ({
        ...placeOf(entry),
        kind: kindOf(entry),
        result: entry.kind === 'tool' ? (entry.ordinals[1] ?? -1) : -1,
      }));
      expect([id, shown]).toEqual([id, entries]);
    }
  });

  it('finds everything that the entries show', async () => {
    for (const id of ids) {
      const entries = await entriesIn(id);
      const words = new Set(
        entries.flatMap(
          (entry) =>
            entryText(entry)
              .match(/[\p{L}\d"]+ ?[\p{L}\d]*/gu)
              ?.at(-1) ?? [],
        ),
      );
      for (const q of [...words].slice(0, 5)) {
        const hits = entries
          .map((entry) => ({ ...placeOf(entry), count: countHits(entryText(entry), q) }))
          .filter(({ count }) => count > 0);
        const found = await used.app.get('/sessions/:id/find', { params: { id }, query: { q } });
        expect([id, q, found.hits]).toEqual([id, q, hits]);
        expect(found.is_complete).toBe(true);
        expect(found.total).toBe(hits.reduce((sum, { count }) => sum + count, 0));
      }
    }
  });

  it('renders any range as Markdown', async () => {
    for (const id of ids) {
      const { text, next_from } = await used.app.get('/sessions/:id/markdown', {
        params: { id },
        query: { from: 0, limit: 1_000, redact: false },
      });
      expect(next_from).toBeNull();
      const answers = (await entriesIn(id)).filter((entry) => entry.kind === 'answer');
      for (const agentId of new Set(answers.map(({ message }) => message.agent_id))) {
        const own = await used.app.get('/sessions/:id/markdown', {
          params: { id },
          query: { from: 0, agent_id: agentId ?? undefined, limit: 1_000, redact: false },
        });
        if (agentId === null) expect(own.text).toBe(text);
        for (const { message, text: answer } of answers) {
          if (message.agent_id === agentId) expect(own.text).toContain(answer.trim());
        }
      }
      const pages: string[] = [];
      for (let from: number | null = 0; from !== null; ) {
        const query = { from, limit: 2, redact: false };
        const page: MarkdownOfRange = await used.app.get('/sessions/:id/markdown', { params: { id }, query });
        expect(page.next_from ?? Infinity).toBeGreaterThan(from);
        pages.push(page.text);
        from = page.next_from;
      }
      for (const { message, text: answer } of answers) {
        if (message.agent_id === null) expect(pages.join('\n')).toContain(answer.trim());
      }
    }
  });
});

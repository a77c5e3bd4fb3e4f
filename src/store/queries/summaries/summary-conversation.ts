import { sql } from 'kysely';
import { isClientCommand, slashCommandIn } from '../../../domain/client-tags.ts';
import type { Conversation, SummaryInput, SummaryScope, Utterance } from '../../../domain/summary.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import { inThreads, IS_OWN, ofRevision, type SummarySession } from './summary-rows.ts';

/**
 * Exact facts about a conversation of any length; reads only the texts that a narrative quotes. The copied beginning of
 * a fork belongs to the original session, unless nothing was said after it.
 */
export async function readConversation(db: Tx, session: SummarySession, scope: SummaryScope): Promise<Conversation> {
  const own = await readFrom(createReader(db, session, scope, 'own'));
  return own.prompts + own.requests.length > 0 ? own : readFrom(createReader(db, session, scope, 'all'));
}

async function readFrom(reader: Reader): Promise<Conversation> {
  const { requests, clientCommands } = await readRequests(reader);
  const [lastPrompt] = await reader.latest(reader.originsOf('person'), 1);
  const lastAnswer = await findLastAnswer(reader);
  const last = await findLast(reader);
  const [asked] = await reader.latest([...reader.originsOf('person'), 'command'], 1);
  return {
    prompts: await reader.count(reader.originsOf('person')),
    requests,
    lastPrompt: lastPrompt?.utterance ?? null,
    lastAnswer,
    last,
    isLastPromptAnswered: asked !== undefined && (await reader.hasModelAfter(asked.ordinal)),
    clientCommands,
    isOfAgents: false,
    messages: await reader.count(null),
  };
}

interface Said {
  readonly id: string;
  readonly ordinal: number;
  readonly utterance: Utterance;
}

type Reader = ReturnType<typeof createReader>;

function createReader(db: Tx, session: SummarySession, scope: SummaryScope, which: 'own' | 'all') {
  const speakers = scope.agentIds === null ? SPEAKERS : AGENT_SPEAKERS;
  const select = (origins: readonly string[] | null) =>
    ofRevision(db, session, 'transcript_messages')
      .where(inThreads(scope))
      .where(which === 'own' ? IS_OWN : sql<boolean>`1 = 1`)
      .where((eb) => (origins === null ? sql<boolean>`1 = 1` : eb('origin', 'in', [...origins])));
  const withTexts = async (rows: readonly { id: string; ordinal: number; origin: string }[]): Promise<Said[]> => {
    const texts = await readTexts(db, session, rows);
    return rows.flatMap(({ id, ordinal, origin }) => {
      const by = speakers[origin as MessageOrigin];
      return by === undefined ? [] : [{ id, ordinal, utterance: { by, ...(texts.get(id) ?? NO_TEXT) } }];
    });
  };
  return {
    originsOf: (by: Utterance['by']): MessageOrigin[] =>
      (Object.keys(speakers) as MessageOrigin[]).filter((origin) => speakers[origin] === by),
    count: async (origins: readonly string[] | null) => {
      const counted = select(origins).select(({ fn }) => fn.countAll<number>().as('count'));
      return (await counted.executeTakeFirstOrThrow()).count;
    },
    earliest: async (origins: readonly string[], limit: number, after: number) =>
      withTexts(
        await select(origins)
          .select(['id', 'ordinal', 'origin'])
          .where('ordinal', '>', after)
          .orderBy('ordinal')
          .limit(limit)
          .execute(),
      ),
    latest: async (origins: readonly string[], limit: number, before = Number.MAX_SAFE_INTEGER) =>
      withTexts(
        await select(origins)
          .select(['id', 'ordinal', 'origin'])
          .where('ordinal', '<', before)
          .orderBy('ordinal', 'desc')
          .limit(limit)
          .execute(),
      ),
    hasModelAfter: async (ordinal: number) =>
      (await select(['model']).select('id').where('ordinal', '>', ordinal).limit(1).executeTakeFirst()) !== undefined,
    isApiError: async (messageId: string) =>
      (await ofRevision(db, session, 'api_errors')
        .select('position')
        .where('message_id', '=', messageId)
        .limit(1)
        .executeTakeFirst()) !== undefined,
  };
}

const NO_TEXT = { text: '', ending: '' };
const MAX_REQUESTS = 10;
const PAGE = 50;

/** The first requests; if there are none, the client commands that were used instead. */
async function readRequests(reader: Reader): Promise<Pick<Conversation, 'requests' | 'clientCommands'>> {
  const origins = [...reader.originsOf('person'), 'command'];
  const requests: Utterance[] = [];
  const clientCommands = new Set<string>();
  for (let after = -1; requests.length < MAX_REQUESTS; ) {
    const page = await reader.earliest(origins, PAGE, after);
    for (const { utterance } of page) {
      const command = utterance.by === 'command' ? slashCommandIn(utterance.text) : null;
      if (command !== null && isClientCommand(command)) clientCommands.add(command.name);
      else if (utterance.by === 'person' || command !== null) requests.push(utterance);
    }
    if (page.length < PAGE) break;
    after = page.at(-1)?.ordinal ?? after;
  }
  return { requests: requests.slice(0, MAX_REQUESTS), clientCommands: requests.length > 0 ? [] : [...clientCommands] };
}

async function findLastAnswer(reader: Reader): Promise<Utterance | null> {
  const origins = reader.originsOf('model');
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await reader.latest(origins, PAGE, before);
    const found = page.find(({ utterance }) => utterance.text.trim() !== '');
    if (found !== undefined) return found.utterance;
    if (page.length < PAGE) return null;
    before = page.at(-1)?.ordinal ?? 0;
  }
}

/** The last message by either side; client commands and placeholder answers do not count. */
async function findLast(reader: Reader): Promise<Utterance | null> {
  const origins = (['person', 'model', 'interruption', 'error', 'command'] as const).flatMap(reader.originsOf);
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await reader.latest(origins, PAGE, before);
    for (const { id, utterance } of page) if (await isSpoken(reader, id, utterance)) return utterance;
    if (page.length < PAGE) return null;
    before = page.at(-1)?.ordinal ?? 0;
  }
}

async function isSpoken(reader: Reader, id: string, { by, text }: Utterance): Promise<boolean> {
  if (by === 'error') return reader.isApiError(id);
  const command = by === 'command' ? slashCommandIn(text) : null;
  if (by === 'command') return command !== null && !isClientCommand(command);
  return by === 'person' || text.trim() !== '';
}

export const SPEAKERS: { readonly [O in MessageOrigin]?: Utterance['by'] } = {
  human: 'person',
  queued: 'person',
  model: 'model',
  command: 'command',
  interruption: 'interruption',
  synthetic: 'error',
};
/** A sub-agent gets its prompt from another agent; in its summary that agent takes the user's role. */
const AGENT_SPEAKERS: typeof SPEAKERS = { ...SPEAKERS, agent_prompt: 'person', teammate: 'person' };

const OPENING_UTTERANCES = 60;
const CLOSING_UTTERANCES = 120;
const MAX_UTTERANCE_CHARS = 2_000;

type Talk = Pick<SummaryInput, 'opening' | 'closing' | 'omitted'>;

/** What the user and the model said to each other. Text inserted by the client is left out. */
export async function readTalk(db: Tx, session: SummarySession, scope: SummaryScope): Promise<Talk> {
  const speakers = scope.agentIds === null ? SPEAKERS : AGENT_SPEAKERS;
  const opening = await selectTalk(db, session, scope, speakers).orderBy('ordinal').limit(OPENING_UTTERANCES).execute();
  const after = opening.at(-1)?.ordinal ?? -1;
  const closing = await selectTalk(db, session, scope, speakers)
    .where('ordinal', '>', after)
    .orderBy('ordinal', 'desc')
    .limit(CLOSING_UTTERANCES)
    .execute();
  const all = await countTalk(db, session, scope, speakers);
  const texts = await readTexts(db, session, [...opening, ...closing]);
  const toUtterance = ({ id, origin }: { id: string; origin: string }): Utterance[] => {
    const by = speakers[origin as MessageOrigin];
    const text = texts.get(id);
    return by === undefined || text === undefined ? [] : [{ by, ...text }];
  };
  return {
    opening: opening.flatMap(toUtterance),
    closing: closing.toReversed().flatMap(toUtterance),
    omitted: all - opening.length - closing.length,
  };
}

function selectTalk(db: Tx, session: SummarySession, scope: SummaryScope, speakers: typeof SPEAKERS) {
  return ofRevision(db, session, 'transcript_messages')
    .select(['id', 'ordinal', 'origin'])
    .where(sql<boolean>`has_text`)
    .where('origin', 'in', Object.keys(speakers))
    .where(inThreads(scope));
}

async function countTalk(
  db: Tx,
  session: SummarySession,
  scope: SummaryScope,
  speakers: typeof SPEAKERS,
): Promise<number> {
  const row = await selectTalk(db, session, scope, speakers)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

type Text = Pick<Utterance, 'text' | 'ending'>;

/** Reads the beginnings and ends of texts. */
export async function readTexts(
  db: Tx,
  session: SummarySession,
  messages: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, Text>> {
  if (messages.length === 0) return new Map();
  const rows = await ofRevision(db, session, 'content_blocks')
    .select(['message_id', beginning('content_text').as('beginning'), ending('content_text').as('ending')])
    .where('message_id', 'in', idsOf(messages))
    .where('block_type', '=', 'text')
    .where('content_text', 'is not', null)
    .orderBy('message_id')
    .orderBy('block_order')
    .execute();
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  return new Map(
    [...byMessage].map(([id, blocks]) => {
      const text = blocks.map((block) => withoutTornEnd(block.beginning)).join('\n');
      return [id, { text: text.slice(0, MAX_UTTERANCE_CHARS), ending: withoutTornStart(blocks.at(-1)?.ending ?? '') }];
    }),
  );
}

/** Drops a truncated word at the end: half a secret matches no redaction rule any more. */
function withoutTornEnd(text: string): string {
  return text.length < MAX_UTTERANCE_CHARS ? text : text.replace(/\S+$/, '');
}

function withoutTornStart(text: string): string {
  return text.length < MAX_UTTERANCE_CHARS ? text : text.replace(/^\S+/, '');
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

function beginning(column: 'content_text') {
  return sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit(MAX_UTTERANCE_CHARS)})`;
}

/** The last characters of a text, in SQL that both engines support. */
function ending(column: 'content_text') {
  const text = sql.ref(column);
  const max = sql.lit(MAX_UTTERANCE_CHARS);
  return sql<string>`CASE WHEN length(${text}) > ${max} THEN substr(${text}, length(${text}) - ${max} + 1) ELSE ${text} END`;
}

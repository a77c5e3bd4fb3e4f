import { sql } from 'kysely';
import { isClientCommand, slashCommandIn } from '../../../domain/slash-command.ts';
import type { Conversation, SummaryScope, Utterance } from '../../../domain/summary.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import { inThreads, IS_OWN, ofRevision, type SummarySession } from './summary-rows.ts';
import { AGENT_SPEAKERS, readTexts, SPEAKERS } from './summary-talk.ts';

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

import { sql } from 'kysely';
import { isClientCommand, slashCommandIn } from '../../../domain/client-tags.ts';
import type { Conversation, SummaryInput, SummaryScope, Utterance } from '../../../domain/summary.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import { fewLengths } from '../../sql.ts';
import { inThreads, type MessageFacts, type SummaryFacts } from './summary-facts.ts';

/**
 * Exact facts about a conversation of any length; reads only the texts that a narrative quotes. The copied beginning of
 * a fork belongs to the original session, unless nothing was said after it.
 */
export async function readConversation(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<Conversation> {
  const messages = facts.messages.filter(inThreads(scope));
  const own = messages.filter(({ is_inherited }) => !is_inherited);
  const said = await readFrom(createReader(db, facts, scope, own));
  const isEnough = said.prompts + said.requests.length > 0 || own.length === messages.length;
  return isEnough ? said : readFrom(createReader(db, facts, scope, messages));
}

async function readFrom(reader: Reader): Promise<Conversation> {
  const { messages, prompts, asked, answers, spoken } = reader;
  // Most conversations need no other texts, so one statement reads them all.
  await reader.load([
    ...asked.slice(0, MAX_REQUESTS),
    ...prompts.slice(-1),
    ...answers.slice(0, 1),
    ...spoken.slice(0, SPOKEN_AT_ONCE),
  ]);
  const lastPrompt = prompts.at(-1);
  const lastAsked = asked.at(-1);
  return {
    prompts: prompts.length,
    ...(await readRequests(reader)),
    lastPrompt: lastPrompt === undefined ? null : reader.utteranceOf(lastPrompt),
    lastAnswer: await findFirst(reader, answers, hasWords),
    last: await findFirst(reader, spoken, reader.isSpoken),
    isLastPromptAnswered:
      lastAsked !== undefined &&
      messages.some(({ origin, ordinal }) => origin === 'model' && ordinal > lastAsked.ordinal),
    isOfAgents: false,
    messages: messages.length,
  };
}

type Reader = ReturnType<typeof createReader>;

function createReader(db: Tx, facts: SummaryFacts, scope: SummaryScope, messages: readonly MessageFacts[]) {
  const speakers = speakersOf(scope);
  const texts = new Map<string, Text>();
  const isBy = (who: Utterance['by']) => (message: MessageFacts) => speakers[originOf(message)] === who;
  const prompts = messages.filter(isBy('person'));
  const apiErrors = new Set(facts.apiErrors.map(({ message_id }) => message_id));
  return {
    messages,
    prompts,
    /** Prompts and slash commands. */
    asked: messages.filter((message) => isBy('person')(message) || isBy('command')(message)),
    /** The last one first. */
    answers: messages.filter((message) => message.has_text && isBy('model')(message)).toReversed(),
    /** Everything that may be the last word, the last one first. */
    spoken: messages.filter((message) => speakers[originOf(message)] !== undefined).toReversed(),
    load: async (wanted: readonly MessageFacts[]) => {
      const missing = wanted.filter(({ id, has_text }) => has_text && !texts.has(id));
      const ids = new Set(missing.map(({ id }) => id));
      const found = await readTexts(db, facts, [...ids]);
      for (const id of ids) texts.set(id, found.get(id) ?? NO_TEXT);
    },
    utteranceOf: (message: MessageFacts): Utterance => ({
      by: speakers[originOf(message)] ?? 'person',
      ...(texts.get(message.id) ?? NO_TEXT),
    }),
    /** Client commands and placeholder answers do not count. */
    isSpoken: ({ by, text }: Utterance, { id }: MessageFacts): boolean => {
      if (by === 'error') return apiErrors.has(id);
      const command = by === 'command' ? slashCommandIn(text) : null;
      if (by === 'command') return command !== null && !isClientCommand(command);
      return by === 'person' || text.trim() !== '';
    },
  };
}

const NO_TEXT = { text: '', ending: '' };
const MAX_REQUESTS = 10;
const SPOKEN_AT_ONCE = 3;
const PAGE = 50;

/** The first requests; if there are none, the client commands that were used instead. */
async function readRequests(reader: Reader): Promise<Pick<Conversation, 'requests' | 'clientCommands'>> {
  const requests: Utterance[] = [];
  const clientCommands = new Set<string>();
  for (let at = 0; at < reader.asked.length && requests.length < MAX_REQUESTS; ) {
    const page = reader.asked.slice(at, at + (at === 0 ? MAX_REQUESTS : PAGE));
    at += page.length;
    await reader.load(page);
    for (const utterance of page.map(reader.utteranceOf)) {
      const command = utterance.by === 'command' ? slashCommandIn(utterance.text) : null;
      if (command !== null && isClientCommand(command)) clientCommands.add(command.name);
      else if (utterance.by === 'person' || command !== null) requests.push(utterance);
    }
  }
  return { requests: requests.slice(0, MAX_REQUESTS), clientCommands: requests.length > 0 ? [] : [...clientCommands] };
}

async function findFirst(
  reader: Reader,
  messages: readonly MessageFacts[],
  isWanted: (utterance: Utterance, message: MessageFacts) => boolean,
): Promise<Utterance | null> {
  for (let at = 0; at < messages.length; ) {
    const page = messages.slice(at, at + (at === 0 ? 1 : PAGE));
    at += page.length;
    await reader.load(page);
    for (const message of page) {
      const utterance = reader.utteranceOf(message);
      if (isWanted(utterance, message)) return utterance;
    }
  }
  return null;
}

function hasWords({ text }: Utterance): boolean {
  return text.trim() !== '';
}

type Speakers = { readonly [O in MessageOrigin]?: Utterance['by'] };

const SPEAKERS: Speakers = {
  human: 'person',
  queued: 'person',
  model: 'model',
  command: 'command',
  interruption: 'interruption',
  synthetic: 'error',
};
/** A sub-agent gets its prompt from another agent; in its summary that agent takes the user's role. */
const AGENT_SPEAKERS: Speakers = { ...SPEAKERS, agent_prompt: 'person', teammate: 'person' };

function speakersOf({ agentIds }: SummaryScope): Speakers {
  return agentIds === null ? SPEAKERS : AGENT_SPEAKERS;
}

function originOf({ origin }: MessageFacts): MessageOrigin {
  return origin as MessageOrigin;
}

const OPENING_UTTERANCES = 60;
const CLOSING_UTTERANCES = 120;
const MAX_UTTERANCE_CHARS = 2_000;

type Talk = Pick<SummaryInput, 'opening' | 'closing' | 'omitted'>;

/** Messages of the user and the model with text; what the client inserted is left out. */
export function listTalk({ messages }: SummaryFacts, scope: SummaryScope): readonly MessageFacts[] {
  const speakers = speakersOf(scope);
  const isInThreads = inThreads(scope);
  return messages.filter((message) => {
    return message.has_text && isInThreads(message) && speakers[originOf(message)] !== undefined;
  });
}

/** The texts of the user and the model. */
export async function readTalk(db: Tx, facts: SummaryFacts, scope: SummaryScope): Promise<Talk> {
  const speakers = speakersOf(scope);
  const all = listTalk(facts, scope);
  const opening = all.slice(0, OPENING_UTTERANCES);
  const closing = all.slice(opening.length).slice(-CLOSING_UTTERANCES);
  const texts = await readTexts(
    db,
    facts,
    [...opening, ...closing].map(({ id }) => id),
  );
  const toUtterance = (message: MessageFacts): Utterance[] => {
    const by = speakers[originOf(message)];
    const text = texts.get(message.id);
    return by === undefined || text === undefined ? [] : [{ by, ...text }];
  };
  return {
    opening: opening.flatMap(toUtterance),
    closing: closing.flatMap(toUtterance),
    omitted: all.length - opening.length - closing.length,
  };
}

type Text = Pick<Utterance, 'text' | 'ending'>;

/** Reads the beginnings and ends of texts. */
async function readTexts(
  db: Tx,
  { session: { id, revision } }: SummaryFacts,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, Text>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<{ message_id: string; beginning: string; ending: string }>`
    SELECT message_id, ${BEGINNING} AS beginning, ${ENDING} AS ending FROM content_blocks
    WHERE session_id = ${id} AND revision = ${revision} AND message_id IN (${sql.join(fewLengths(messageIds))})
      AND block_type = 'text' AND content_text IS NOT NULL
    ORDER BY message_id, block_order`.execute(db);
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  return new Map(
    [...byMessage].map(([messageId, blocks]) => {
      const text = blocks.map((block) => withoutTornEnd(block.beginning)).join('\n');
      const ending = withoutTornStart(blocks.at(-1)?.ending ?? '');
      return [messageId, { text: text.slice(0, MAX_UTTERANCE_CHARS), ending }];
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

const MAX = sql.lit(MAX_UTTERANCE_CHARS);
const BEGINNING = sql`substr(content_text, 1, ${MAX})`;
/** The last characters of a text, in SQL that both engines support. */
const ENDING = sql`CASE WHEN length(content_text) > ${MAX}
  THEN substr(content_text, length(content_text) - ${MAX} + 1) ELSE content_text END`;

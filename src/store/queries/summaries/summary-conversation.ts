import { sql } from 'kysely';
import { commandText, isClientCommand, slashCommandIn } from '../../../domain/client-tags.ts';
import type { Conversation, Reply, Request, SummaryInput, SummaryScope, Utterance } from '../../../domain/summary.ts';
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
  const [firstPrompt] = prompts;
  const lastPrompt = prompts.at(-1);
  const lastRequest = await findFirst(reader, asked.toReversed(), reader.isRequest);
  const requests = await readRequests(reader);
  const isWordless = firstPrompt !== undefined && requests.requests.every(({ text }) => !HAS_WORDS.test(text));
  return {
    prompts: prompts.length,
    ...requests,
    attached: isWordless ? await reader.countAttached(firstPrompt) : NOTHING_ATTACHED,
    lastPrompt: lastPrompt === undefined ? null : reader.utteranceOf(lastPrompt),
    lastAnswer: (await findFirst(reader, answers, hasWords))?.utterance ?? null,
    last: (await findFirst(reader, spoken, reader.isSpoken))?.utterance ?? null,
    isLastPromptAnswered:
      lastRequest !== null &&
      messages.some(({ origin, ordinal }) => origin === 'model' && ordinal > lastRequest.message.ordinal),
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
  /** Commands that the client has executed itself, whatever their names: it has printed their output. */
  const visible = messages.filter(({ origin }) => origin !== 'meta' && origin !== 'context');
  const executed = new Set(visible.filter((_, at) => visible[at + 1]?.origin === 'command_output').map(({ id }) => id));
  /** A prompt, or a slash command that goes to the model. */
  const isRequest = ({ by, text }: Utterance, { id }: MessageFacts): boolean => {
    const command = by === 'command' && !executed.has(id) ? slashCommandIn(text) : null;
    return by === 'person' || (command !== null && !isClientCommand(command));
  };
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
    isSpoken: (utterance: Utterance, message: MessageFacts): boolean => {
      const { by, text } = utterance;
      if (by === 'error') return apiErrors.has(message.id);
      return by === 'command' ? isRequest(utterance, message) : by === 'person' || text.trim() !== '';
    },
    isRequest,
    replyTo: ({ ordinal }: MessageFacts): Reply => {
      let reply: Reply = 'no answer';
      for (const message of messages) {
        if (message.ordinal <= ordinal) continue;
        const who = speakers[originOf(message)];
        if (who === 'interruption') return 'interrupted';
        // A prompt that was queued before the first word gets the same answer.
        if (who === 'person' && reply === 'answered') return reply;
        if (who === 'model' && message.has_text) reply = 'answered';
      }
      return reply;
    },
    /** Images and documents of a message. */
    countAttached: async ({ id }: MessageFacts): Promise<Conversation['attached']> => {
      const { rows } = await sql<{ images: number | string; documents: number | string }>`
        SELECT count(CASE WHEN block_type = 'image' THEN 1 END) AS images,
          count(CASE WHEN block_type = 'document' THEN 1 END) AS documents FROM content_blocks
        WHERE session_id = ${facts.session.id} AND revision = ${facts.session.revision} AND message_id = ${id}`.execute(
        db,
      );
      return { images: Number(rows[0]?.images ?? 0), documents: Number(rows[0]?.documents ?? 0) };
    },
  };
}

const NOTHING_ATTACHED = { images: 0, documents: 0 };
/** Something besides placeholders of attachments such as `[Image #1]`. */
const HAS_WORDS = /^(?:\s|\[[^\]\n]{0,100}\])*[^\s[]/;
const NO_TEXT = { text: '', ending: '' };
const MAX_REQUESTS = 10;
const SPOKEN_AT_ONCE = 3;
const PAGE = 50;

/** The first requests; if there are none, the client and shell commands that were typed instead. */
async function readRequests(
  reader: Reader,
): Promise<Pick<Conversation, 'requests' | 'clientCommands' | 'shellInputs'>> {
  const requests: Request[] = [];
  const clientCommands = new Set<string>();
  const shellInputs = new Set<string>();
  for (let at = 0; at < reader.asked.length && requests.length < MAX_REQUESTS; ) {
    const page = reader.asked.slice(at, at + (at === 0 ? MAX_REQUESTS : PAGE));
    at += page.length;
    await reader.load(page);
    for (const message of page) {
      const utterance = reader.utteranceOf(message);
      const command = utterance.by === 'command' ? slashCommandIn(utterance.text) : null;
      if (reader.isRequest(utterance, message)) requests.push({ ...utterance, reply: reader.replyTo(message) });
      else if (command !== null) clientCommands.add(command.name);
      else if (commandText(utterance.text).startsWith('! ')) shellInputs.add(commandText(utterance.text));
    }
  }
  if (requests.length > 0) return { requests: requests.slice(0, MAX_REQUESTS), clientCommands: [], shellInputs: [] };
  return { requests, clientCommands: [...clientCommands], shellInputs: [...shellInputs] };
}

async function findFirst(
  reader: Reader,
  messages: readonly MessageFacts[],
  isWanted: (utterance: Utterance, message: MessageFacts) => boolean,
): Promise<{ readonly message: MessageFacts; readonly utterance: Utterance } | null> {
  for (let at = 0; at < messages.length; ) {
    const page = messages.slice(at, at + (at === 0 ? 1 : PAGE));
    at += page.length;
    await reader.load(page);
    for (const message of page) {
      const utterance = reader.utteranceOf(message);
      if (isWanted(utterance, message)) return { message, utterance };
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
  bash_input: 'command',
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

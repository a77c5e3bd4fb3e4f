import { sql } from 'kysely';
import type { SummaryInput, SummaryScope, Utterance } from '../../../domain/summary.ts';
import type { MessageOrigin } from '../../../domain/transcript.ts';
import type { Tx } from '../../engine.ts';
import { inThreads, ofRevision, type SummarySession } from './summary-rows.ts';

export const SPEAKERS: { readonly [O in MessageOrigin]?: Utterance['by'] } = {
  human: 'person',
  queued: 'person',
  model: 'model',
  command: 'command',
  interruption: 'interruption',
  synthetic: 'error',
};
/** A sub-agent gets its prompt from another agent; in its summary that agent takes the user's role. */
export const AGENT_SPEAKERS: typeof SPEAKERS = { ...SPEAKERS, agent_prompt: 'person', teammate: 'person' };

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

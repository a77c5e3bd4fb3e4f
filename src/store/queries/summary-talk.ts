import { sql } from 'kysely';
import type { CommandRun, SummaryInput, SummaryScope, Utterance } from '../../domain/summary.ts';
import type { MessageOrigin } from '../../domain/transcript.ts';
import type { ToolStatus } from '../../domain/transcript-structure.ts';
import type { Tx } from '../engine.ts';
import { readJson } from '../text.ts';
import { byThreads, ofRevision, type SummarySession } from './summary-rows.ts';

const SPEAKERS: { readonly [O in MessageOrigin]?: Utterance['by'] } = {
  human: 'person',
  queued: 'person',
  model: 'model',
  command: 'command',
  interruption: 'interruption',
  synthetic: 'error',
};
/** A sub-agent gets its orders from another agent; for its summary that is who asks. */
const AGENT_SPEAKERS: typeof SPEAKERS = { ...SPEAKERS, agent_prompt: 'person', teammate: 'person' };

const OPENING_UTTERANCES = 60;
const CLOSING_UTTERANCES = 120;
const MAX_UTTERANCE_CHARS = 2_000;

type Talk = Pick<SummaryInput, 'opening' | 'closing' | 'omitted' | 'promptCount'>;

/** What people and the model said to each other. Whatever the client put into the conversation is left out. */
export async function readTalk(db: Tx, session: SummarySession, scope: SummaryScope): Promise<Talk> {
  const speakers = scope.agentIds === null ? SPEAKERS : AGENT_SPEAKERS;
  const opening = await selectTalk(db, session, scope, speakers).orderBy('ordinal').limit(OPENING_UTTERANCES).execute();
  const after = opening.at(-1)?.ordinal ?? -1;
  const closing = await selectTalk(db, session, scope, speakers)
    .where('ordinal', '>', after)
    .orderBy('ordinal', 'desc')
    .limit(CLOSING_UTTERANCES)
    .execute();
  const counts = await countTalk(db, session, scope, speakers);
  const texts = await readTexts(db, session, [...opening, ...closing]);
  const toUtterance = ({ id, origin }: { id: string; origin: string }): Utterance[] => {
    const by = speakers[origin as MessageOrigin];
    const text = texts.get(id);
    return by === undefined || text === undefined ? [] : [{ by, ...text }];
  };
  return {
    opening: opening.flatMap(toUtterance),
    closing: closing.toReversed().flatMap(toUtterance),
    omitted: counts.all - opening.length - closing.length,
    promptCount: counts.prompts,
  };
}

function selectTalk(db: Tx, session: SummarySession, { agentIds }: SummaryScope, speakers: typeof SPEAKERS) {
  return ofRevision(db, session, 'transcript_messages')
    .select(['id', 'ordinal', 'origin'])
    .where(sql<boolean>`has_text`)
    .where('origin', 'in', Object.keys(speakers))
    .where((eb) => (agentIds === null ? eb('agent_id', 'is', null) : eb('agent_id', 'in', [...agentIds])));
}

async function countTalk(db: Tx, session: SummarySession, scope: SummaryScope, speakers: typeof SPEAKERS) {
  const rows = await selectTalk(db, session, scope, speakers)
    .clearSelect()
    .select(['origin', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('origin')
    .execute();
  const sum = (counted: readonly { readonly count: number }[]) =>
    counted.reduce((total, { count }) => total + count, 0);
  const prompts = rows.filter(({ origin }) => speakers[origin as MessageOrigin] === 'person');
  return { all: sum(rows), prompts: sum(prompts) };
}

type Text = Pick<Utterance, 'text' | 'ending'>;

async function readTexts(
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

/** Half a word is no word; above all, half a secret is one that no rule knows any more. */
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

/** The last characters of a text, in words both engines know. */
function ending(column: 'content_text' | 'result_text') {
  const text = sql.ref(column);
  const max = sql.lit(MAX_UTTERANCE_CHARS);
  return sql<string>`CASE WHEN length(${text}) > ${max} THEN substr(${text}, length(${text}) - ${max} + 1) ELSE ${text} END`;
}

const SHELL_TOOLS = ['Bash', 'PowerShell'];
const MAX_COMMANDS = 400;
const CALLS_PER_QUERY = 100;
const MAX_COMMAND_CHARS = 4_000;

/** The last commands of a shell with the ends of their outputs, in order. */
export async function readCommands(
  db: Tx,
  session: SummarySession,
  scope: SummaryScope,
): Promise<readonly CommandRun[]> {
  const calls = await ofRevision(db, session, 'tool_calls')
    .select(['id', 'message_id', 'result_message_id', 'status', 'exit_code'])
    .where('name', 'in', SHELL_TOOLS)
    .where(byThreads(scope))
    .orderBy('position', 'desc')
    .limit(MAX_COMMANDS)
    .execute();
  const runs: CommandRun[] = [];
  for (let at = 0; at < calls.length; at += CALLS_PER_QUERY) {
    const page = calls.slice(at, at + CALLS_PER_QUERY);
    const commands = await readInputs(db, session, page);
    const outputs = await readOutputs(db, session, page);
    for (const { id, status, exit_code: exitCode } of page) {
      const command = commands.get(id);
      if (command === undefined) continue;
      runs.push({ command, status: status as ToolStatus, exitCode, output: outputs.get(id) ?? '' });
    }
  }
  return runs.reverse();
}

interface Call {
  readonly message_id: string | null;
  readonly result_message_id: string | null;
}

async function readInputs(db: Tx, session: SummarySession, calls: readonly Call[]): Promise<Map<string, string>> {
  const ids = calls.flatMap(({ message_id }) => message_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await ofRevision(db, session, 'content_blocks')
    .select(['tool_use_id', 'tool_input'])
    .where('message_id', 'in', ids)
    .where('tool_name', 'in', SHELL_TOOLS)
    .where('block_type', '=', 'tool_use')
    .execute();
  return new Map(
    rows.flatMap(({ tool_use_id, tool_input }): [string, string][] => {
      const { command } = readJson<{ readonly command?: unknown }>(tool_input ?? '{}') ?? {};
      return tool_use_id !== null && typeof command === 'string'
        ? [[tool_use_id, command.slice(0, MAX_COMMAND_CHARS)]]
        : [];
    }),
  );
}

async function readOutputs(db: Tx, session: SummarySession, calls: readonly Call[]): Promise<Map<string, string>> {
  const ids = calls.flatMap(({ result_message_id }) => result_message_id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await ofRevision(db, session, 'content_blocks')
    .select(['tool_result_id', ending('result_text').as('output')])
    .where('message_id', 'in', ids)
    .where('block_type', '=', 'tool_result')
    .where('result_text', 'is not', null)
    .execute();
  return new Map(rows.map(({ tool_result_id, output }) => [tool_result_id ?? '', output]));
}

/** Generated sessions of any length, for measuring what depends on the length of a session. */

export function idOf(messages: number): string {
  return `${String(messages).padStart(8, '0')}-1111-4111-8111-111111111111`;
}

/** A turn is a prompt, three calls with their results, and an answer. */
export const TURN_MESSAGES = 8;
const START_MS = Date.parse('2026-01-05T08:00:00.000Z');

export function makeSession(messages: number): string {
  const lines: string[] = [];
  for (let number = 0; number < messages; number += 1) lines.push(JSON.stringify(lineOf(messages, number)));
  return `${lines.join('\n')}\n`;
}

function lineOf(session: number, number: number): object {
  const uuid = (at: number) => `${String(at).padStart(8, '0')}-0000-4000-8000-${String(session).padStart(12, '0')}`;
  const place = number % TURN_MESSAGES;
  const isModel = place % 2 === 1;
  const content = isModel ? answerOf(number, place) : askedOf(session, number, place);
  return {
    type: isModel ? 'assistant' : 'user',
    uuid: uuid(number),
    parentUuid: number === 0 ? null : uuid(number - 1),
    timestamp: new Date(START_MS + number * 1_000).toISOString(),
    sessionId: idOf(session),
    cwd: '/home/ada/harbour',
    version: '2.1.219',
    isSidechain: false,
    userType: 'external',
    message: isModel ? { ...MODEL, id: `msg_${session}_${number}`, content } : { role: 'user', content },
  };
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 200,
  cache_read_input_tokens: 50_000,
  cache_creation_input_tokens: 900,
};
const MODEL = { type: 'message', role: 'assistant', model: 'claude-opus-4-6', stop_reason: 'end_turn', usage: USAGE };
const WORDS = 'The ferry leaves the harbour at nine and passes the old pier before it turns north. '.repeat(5);

function askedOf(session: number, number: number, place: number): unknown {
  // The list folds sessions that begin alike.
  if (place === 0) return `Question ${number}: ${session} messages. ${WORDS}`;
  return [{ type: 'tool_result', tool_use_id: `call_${number - 1}`, content: `${WORDS}${WORDS}${WORDS}` }];
}

function answerOf(number: number, place: number): unknown {
  if (place === TURN_MESSAGES - 1) return [{ type: 'text', text: `${WORDS} The lighthouse is number ${number}.` }];
  const name = ['Read', 'Bash', 'Grep'][Math.floor(place / 2)] ?? 'Read';
  const input = { command: `look ${number}`, file_path: `/home/ada/harbour/${number}.txt`, pattern: 'ferry' };
  return [
    { type: 'text', text: `Step ${number}.` },
    { type: 'tool_use', id: `call_${number}`, name, input },
  ];
}

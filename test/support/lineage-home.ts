import { createTalk, text, toolUse } from './claude-home.ts';

/** Lines as the client writes them for forks, branches and clears, with what it copies and what it does not. */

type Line = Readonly<Record<string, unknown>>;

export const at = (second: number) => new Date(Date.parse('2026-11-01T10:00:00.000Z') + second * 1_000).toISOString();

/** A prompt, a call and an answer, starting at this second. Copies keep `said_in`, so that tests can identify them. */
export function exchange(sessionId: string, name: string, second: number, more: object = {}): Line[] {
  const talk = createTalk(sessionId, { startedAt: at(second), prefix: name });
  return [
    talk.user(`Please do ${name}.`),
    talk.assistant(`msg_${name}_1`, toolUse(`toolu_${name}`, 'Write', { file_path: `/home/ada/shop/${name}.txt` }), {
      input: 3,
      output: 40,
    }),
    talk.result(`toolu_${name}`, 'Written.'),
    talk.assistant(`msg_${name}_2`, text(`Did ${name}.`), { input: 5, output: 60 }),
  ].map((line) => ({ ...line, said_in: sessionId, ...more }));
}

/** Lines that print mode writes before a prompt; they are never copied. */
export function queued(sessionId: string, second: number, content = 'Please.'): Line[] {
  return [
    { type: 'queue-operation', operation: 'enqueue', timestamp: at(second), sessionId, content },
    { type: 'queue-operation', operation: 'dequeue', timestamp: at(second), sessionId },
  ];
}

/** Lines that an interactive client writes when it opens a session. */
export function opened(sessionId: string, second: number): Line[] {
  const snapshot = { messageId: sessionId, trackedFileBackups: {}, timestamp: at(second) };
  return [
    { type: 'mode', mode: 'normal', sessionId },
    { type: 'file-history-snapshot', messageId: sessionId, snapshot, isSnapshotUpdate: false },
  ];
}

/** Lines that a fork copies: only those with a uuid, under its own session id. */
export function copied(lines: readonly Line[], sessionId: string, more: (line: Line) => object = () => ({})): Line[] {
  return lines.filter(({ uuid }) => uuid !== undefined).map((line) => ({ ...line, sessionId, ...more(line) }));
}

/** The first lines of a session after /clear. */
export function clearLines(sessionId: string, second: number, more: object = {}): Line[] {
  const talk = createTalk(sessionId, { startedAt: at(second), prefix: `c${second}` });
  const command = '<command-name>/clear</command-name>\n<command-message>clear</command-message>';
  return [
    { ...talk.user('<local-command-caveat>Caveat.</local-command-caveat>'), isMeta: true },
    talk.user(command),
  ].map((line) => ({ ...line, ...more }));
}

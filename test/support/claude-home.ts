import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Long enough ago for every session to have ended. */
const LAST_WEEK = new Date('2026-11-08T12:00:00.000Z');

/** Lines as objects, or the raw text or bytes of the file. */
type Content = readonly object[] | string | Uint8Array;

export interface ClaudeHome extends Disposable {
  readonly path: string;
  /** Writes a file below projects/ with an old modification time. */
  write(path: string, lines: Content): string;
  append(path: string, lines: Content): void;
}

/** A temporary Claude home. */
export function createClaudeHome(): ClaudeHome {
  const path = mkdtempSync(join(tmpdir(), 'fuel-code-claude-'));
  const put = (name: string, lines: Content, how: typeof writeFileSync | typeof appendFileSync) => {
    const full = join(path, 'projects', name);
    mkdirSync(dirname(full), { recursive: true });
    how(full, isText(lines) ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    utimesSync(full, LAST_WEEK, LAST_WEEK);
    return full;
  };
  return {
    path,
    write: (name, lines) => put(name, lines, writeFileSync),
    append: (name, lines) => void put(name, lines, appendFileSync),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

function isText(content: Content): content is string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/** Lines of one conversation in the format of the client. */
export function createTalk(
  sessionId: string,
  { startedAt = '2026-11-01T10:00:00.000Z', prefix }: { startedAt?: string; prefix?: string } = {},
) {
  // Sessions that share uuids are copies of each other, so only sessions with the same prefix share them.
  const node =
    prefix === undefined ? createHash('sha256').update(sessionId).digest('hex').slice(0, 12) : '0'.repeat(12);
  let count = 0;
  let parent: string | null = null;
  const line = (type: string, message: object, extra: object = {}) => {
    const uuid = `${prefix ?? 'u'}${String(++count).padStart(4, '0')}-0000-4000-8000-${node}`.padStart(36, '0');
    const timestamp = new Date(Date.parse(startedAt) + count * 1_000).toISOString();
    const common = { parentUuid: parent, isSidechain: false, userType: 'external', cwd: '/home/ada/shop', sessionId };
    parent = uuid;
    return { ...common, version: '2.1.219', gitBranch: 'main', type, message, uuid, timestamp, ...extra };
  };
  return {
    user: (text: string) => line('user', { role: 'user', content: text }),
    result: (toolUseId: string, text: string, isError = false) =>
      line('user', {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: toolUseId, content: text, is_error: isError }],
      }),
    assistant: (id: string, block: object, usage: Usage, model = 'claude-opus-4-6') =>
      line(
        'assistant',
        {
          id,
          type: 'message',
          role: 'assistant',
          model,
          content: [block],
          stop_reason: 'end_turn',
          usage: {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_input_tokens: 100,
            cache_creation_input_tokens: 10,
          },
        },
        { requestId: `req_${id}` },
      ),
  };
}

export const text = (words: string) => ({ type: 'text', text: words });
export const toolUse = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

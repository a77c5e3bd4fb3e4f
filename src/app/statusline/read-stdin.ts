import type { ReadStream } from 'node:tty';

/** The client writes its input immediately. */
const MAX_WAIT_MS = 500;
/** The client's input is a few kilobytes. */
const MAX_CHARS = 1024 * 1024;

type Input = Pick<ReadStream, 'isTTY' | 'on' | 'setEncoding' | 'destroy'>;

/** Reads standard input until it ends; after the timeout, returns what has arrived. Never fails. */
export async function readStdin(stdin: Input): Promise<string> {
  if (stdin.isTTY) return '';
  return new Promise((resolve) => {
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      stdin.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, MAX_WAIT_MS);
    stdin.setEncoding('utf8');
    stdin.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_CHARS) finish();
    });
    stdin.on('end', finish);
    stdin.on('error', finish);
  });
}

import { connect } from 'node:net';
import { TOKEN } from './make-app.ts';

/** The head of a request with the token of the tests. */
export function head(method: string, target: string, headers: readonly string[]): string {
  return [
    `${method} ${target} HTTP/1.1`,
    ...headers,
    `Authorization: Bearer ${TOKEN}`,
    'Connection: close',
    '',
    '',
  ].join('\r\n');
}

/**
 * Sends exactly these bytes and returns the whole response until the server closes the connection. With `ends`, our side is
 * closed right after sending; without it, once the response is complete.
 */
export function rawRequest(port: number, bytes: string | Uint8Array, { ends = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (isWhole(answer)) socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('close', () => resolve(answer));
    socket.write(bytes);
    if (ends) socket.end();
  });
}

function isWhole(answer: string): boolean {
  const at = answer.indexOf('\r\n\r\n');
  if (at < 0) return false;
  const length = /^content-length: (\d+)/im.exec(answer.slice(0, at))?.[1];
  if (length !== undefined) return answer.length >= at + 4 + Number(length);
  return /^transfer-encoding: chunked/im.test(answer.slice(0, at)) ? answer.endsWith('0\r\n\r\n') : true;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

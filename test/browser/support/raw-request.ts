import { connect } from 'node:net';

/** Sends exactly these bytes and gives all that comes back until the server closes or has been quiet for a moment. */
export function rawRequest(port: number, bytes: string | Uint8Array, quietMs = 400): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('close', () => resolve(answer));
    socket.end(bytes);
  });
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

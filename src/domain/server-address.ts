/** Normalizes a server URL to `https://host:port/`; null if invalid, or if it has a path, query or credentials. */
export function readServerUrl(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.search === '' && url.hash === '' ? new URL('/', url).href : null;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** J15: whether data sent to this server could be read in transit. */
export function isUnencrypted(serverUrl: string): boolean {
  const { protocol, hostname } = new URL(serverUrl);
  return protocol !== 'https:' && !LOOPBACK.has(hostname);
}

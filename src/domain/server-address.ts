/** The address of a server as `https://host:port/`; null for anything that is not one, or says more. */
export function readServerUrl(text: string): string | null {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.search === '' && url.hash === '' ? new URL('/', url).href : null;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** J15: whether others could read on the way what is sent there. */
export function isOpenOnTheWay(serverUrl: string): boolean {
  const { protocol, hostname } = new URL(serverUrl);
  return protocol !== 'https:' && !LOOPBACK.has(hostname);
}

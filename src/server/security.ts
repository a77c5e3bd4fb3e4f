import { FuelError } from '../domain/errors.ts';
import type { RequestContext } from './route.ts';

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; img-src 'self' data: blob:; connect-src 'self'; style-src 'self'; script-src 'self'; worker-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sent with every response, including errors. No CORS header is ever sent. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** H12: a transcript is never displayed as a page, whatever it contains. */
export const DOWNLOAD_POLICY = `${CONTENT_SECURITY_POLICY}; sandbox`;

/** H20: a shared page runs no scripts and has no origin; it lists the hashes of its own styles itself. */
export const SHARED_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

export const SHARED_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': SHARED_PAGE_POLICY,
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cache-control': 'no-store',
};

export function loopbackHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
}

interface HostClaim {
  readonly hosts: readonly string[];
  /** The request line has a URL instead of a path: `GET http://elsewhere/ HTTP/1.1`. */
  readonly isAbsoluteForm: boolean;
}

function hostClaim(context: RequestContext): HostClaim {
  const incoming = context.env?.incoming;
  if (incoming === undefined) {
    return { hosts: [context.req.header('host') ?? new URL(context.req.url).host], isAbsoluteForm: false };
  }
  // Node.js keeps only the first of several Host headers in `headers`.
  const raw = incoming.rawHeaders;
  const hosts = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'host');
  return { hosts, isAbsoluteForm: incoming.url?.startsWith('/') !== true };
}

/** The host that a checked request was sent to. */
export function hostOf(context: RequestContext): string {
  return hostClaim(context).hosts[0] ?? '';
}

/** The origin that a request was sent to. Browsers send it; for other clients we assume https, except on loopback. */
export function originOf(context: RequestContext): string {
  const host = hostOf(context);
  const origin = context.req.header('origin') ?? '';
  if (/^https?:\/\//.test(origin) && origin.endsWith(`//${host}`)) return origin;
  return `${isLoopback(host) ? 'http' : 'https'}://${host}`;
}

/** H1, DNS rebinding: a name that only resolves to this server is not accepted. Errors: forbidden. */
export function ensureOwnHost(context: RequestContext, allowed: ReadonlySet<string>): void {
  const { hosts, isAbsoluteForm } = hostClaim(context);
  const host = hosts[0];
  if (!isAbsoluteForm && hosts.length === 1 && host !== undefined && allowed.has(host)) return;
  throw new FuelError('forbidden', 'Unexpected Host header.', {
    hint: 'Open the URL that fuel-code printed, or add this host to allowedHosts.',
  });
}

/** A public name implies an https proxy in front of this server; loopback has none. */
function isOwn(origin: string, allowed: ReadonlySet<string>): boolean {
  const [, scheme, host = ''] = /^(https?):\/\/(.+)$/.exec(origin) ?? [];
  return allowed.has(host) && (scheme === 'http' || !isLoopback(host));
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
}

const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * H2: requests caused by a page of another origin are rejected, regardless of their method. Another port of localhost is
 * `same-site` and rejected too. Programs other than browsers send neither header. Errors: forbidden.
 */
export function ensureOwnOrigin(context: RequestContext, allowed: ReadonlySet<string>): void {
  const site = context.req.header('sec-fetch-site');
  const origin = context.req.header('origin');
  const isSiteOwn = site === undefined || OWN_SITES.has(site);
  const isOriginOwn = origin === undefined || isOwn(origin, allowed);
  if (isSiteOwn && isOriginOwn) return;
  throw new FuelError('forbidden', 'The request comes from another origin.', {
    hint: 'Only the web interface and programs with the token can call the API.',
  });
}

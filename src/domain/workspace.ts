/** What makes two working copies the same project. */
export interface WorkspaceIdentity {
  readonly canonicalId: string;
  readonly displayName: string;
}

export const UNASSOCIATED: WorkspaceIdentity = { canonicalId: '_unassociated', displayName: '(no folder)' };

/** From the weakest to the strongest: a stronger identity of the same folder replaces a weaker one. */
export const WORKSPACE_KINDS = ['none', 'folder', 'local', 'remote'] as const;
type WorkspaceKind = (typeof WORKSPACE_KINDS)[number];

export function workspaceKind(canonicalId: string): WorkspaceKind {
  if (canonicalId === UNASSOCIATED.canonicalId) return 'none';
  if (/^folder:[^/:]*:/.test(canonicalId)) return 'folder';
  return /^local:[0-9a-f]{64}$/.test(canonicalId) ? 'local' : 'remote';
}

export function isStronger(one: string, other: string): boolean {
  return WORKSPACE_KINDS.indexOf(workspaceKind(one)) > WORKSPACE_KINDS.indexOf(workspaceKind(other));
}

/** What a machine knew about a folder at that time. It is kept because folders are moved and deleted while their sessions remain. */
export interface SeenFolder {
  readonly path: string;
  /** Top of the working tree that the folder is in; the folder itself outside of a repository. */
  readonly root: string;
  /** Folders below a repository's root belong to it; folders below a plain folder do not. */
  readonly isRepository: boolean;
  readonly worktreeName: string | null;
  /** Inode and birth time, which survive a rename. Null where the file system has none. */
  readonly fingerprint: string | null;
}

export interface RememberedFolder extends SeenFolder {
  readonly workspace: WorkspaceIdentity;
}

export interface ResolvedWorkspace extends WorkspaceIdentity {
  readonly defaultBranch: string | null;
  /** Null when the folder was not found: the result comes from earlier sightings or is guessed from the path. */
  readonly folder: SeenFolder | null;
}

interface RemoteIdentity extends WorkspaceIdentity {
  /** A path on this machine: another machine may have another repository there. */
  readonly isLocal: boolean;
}

interface Address {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', ssh: '22', git: '9418' };
/** Hosts that ignore the case of a path; the id has it in lower case, the name as written. */
const CASELESS_HOSTS = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'dev.azure.com']);
/** Aliases of hosts: SSH over the HTTPS port, and `www` in a pasted URL. */
const HOST_ALIASES: Readonly<Record<string, string>> = {
  'ssh.github.com:443': 'github.com',
  'altssh.gitlab.com:443': 'gitlab.com',
  'altssh.bitbucket.org:443': 'bitbucket.org',
  'www.github.com': 'github.com',
  'www.gitlab.com': 'gitlab.com',
  'www.bitbucket.org': 'bitbucket.org',
  'ssh.dev.azure.com': 'dev.azure.com',
};
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|\\\\)/i;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;
const MAX_URL_CHARS = 4_096;

/**
 * The normalized form of a git remote, without scheme, user, password, default port, `.git` and extra slashes. Null if
 * the text names no repository. Never throws, never returns a user or password, and is idempotent. Anything of the form
 * `name/path` counts as host and path; check `isLocalRemote` first if it may be a local path.
 */
export function normalizeRemote(url: string): RemoteIdentity | null {
  const text = url.slice(0, MAX_URL_CHARS).toWellFormed().replaceAll(CONTROLS, '').trim();
  if (WINDOWS_PATH.test(text)) return localIdentity(text.replaceAll('\\', '/'), true);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text);
  if (/^file:/i.test(text)) return fileIdentity(text.slice('file:'.length));
  if (scheme) return networkIdentity(parseUrl(scheme[1] ?? '', text.slice(scheme[0].length)));
  // A remote helper (`ext::sh -c …`) may contain anything, including credentials; only a URL inside it is used.
  const helper = /^[a-z][a-z0-9+.-]*::/i.exec(text);
  if (helper) return text.includes('://') ? normalizeRemote(text.slice(helper[0].length)) : null;
  if (text.startsWith('/')) return fileIdentity(text.replace(/^\/+/, '/'));
  if (/^[.~]/.test(text)) return localIdentity(text, false);
  return networkIdentity(parseScp(text));
}

/** Git's own rule: no scheme, and no colon before the first slash. */
export function isLocalRemote(url: string): boolean {
  const text = url.trim();
  return WINDOWS_PATH.test(text) || /^file:/i.test(text) || !/^[^/]*:/.test(text);
}

function parseUrl(scheme: string, rest: string): Address | null {
  const known = scheme.toLowerCase().replace(/^git\+|\+git$/, '');
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash + 1);
  const plain = known.startsWith('http') ? path.replace(/[?#].*$/s, '') : path;
  const place = splitPort(authority.slice(authority.lastIndexOf('@') + 1));
  if (place !== null) {
    return { ...place, port: DEFAULT_PORTS[known] === place.port ? '' : place.port, path: decode(plain) };
  }
  // No port behind the colon: it belongs to a password with a slash in it.
  const at = rest.lastIndexOf('@');
  return at < 0 ? null : parseUrl(scheme, rest.slice(at + 1));
}

/** `[user@]host:path`, `[user@][::1]:path`, and what we wrote ourselves: `host/path`, `host:port/path`. */
function parseScp(text: string): Address | null {
  const user = /^[^/:@]*@/.exec(text)?.[0] ?? '';
  const rest = text.slice(user.length);
  const isOurs = /^(?:\[[^\]/]*\]|[^/:]*)(?::\d{1,5})?\//.test(rest);
  const secret = user === '' && !isOurs ? /^[^/]*:.*@/s.exec(rest)?.[0] : undefined;
  if (secret !== undefined) return parseScp(rest.slice(secret.length));
  const [, host = '', separator, path = ''] = /^(\[[^\]/]*\]|[^:/]*)([:/])(.*)$/s.exec(rest) ?? [];
  if (separator === undefined) return null;
  const port = user === '' && separator === ':' ? /^(\d{1,5})\/(.*)$/s.exec(path) : null;
  return { host, port: port?.[1] ?? '', path: port?.[2] ?? path };
}

function splitPort(authority: string): Pick<Address, 'host' | 'port'> | null {
  const [whole, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(authority) ?? [];
  return whole === undefined ? null : { host, port };
}

function networkIdentity(address: Address | null): RemoteIdentity | null {
  if (address === null) return null;
  // A user and password in the wrong place are still a user and password.
  if (/:.*@|@[^/@]*:/s.test(address.path)) {
    return networkIdentity(parseScp(address.path.slice(address.path.lastIndexOf('@') + 1)));
  }
  const host = address.host.toLowerCase().replace(/\.+$/, '');
  if (!isHost(host)) return null;
  const port = address.port.replace(/^0+/, '');
  const place = HOST_ALIASES[port ? `${host}:${port}` : host] ?? (port ? `${host}:${port}` : host);
  const path = serverPath(place, cleanPath(address.path));
  const displayName = path.at(-1);
  if (displayName === undefined) return null;
  const joined = path.join('/');
  return {
    canonicalId: `${place}/${CASELESS_HOSTS.has(place) ? caseless(joined) : joined}`,
    displayName,
    isLocal: false,
  };
}

function isHost(name: string): boolean {
  return /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}._-]*[\p{L}\p{N}_-])?|\[[0-9a-f:.%]+\])$/u.test(name);
}

function caseless(path: string): string {
  return cleanPath(path.toLowerCase()).join('/');
}

/** Azure DevOps writes one repository in two ways: `v3/org/project/repo` over SSH, `org/project/_git/repo` over HTTPS. */
function serverPath(place: string, path: readonly string[]): readonly string[] {
  if (place !== 'dev.azure.com') return path;
  const [first = '', ...rest] = path;
  return (/^v\d$/i.test(first) ? rest : path).filter((part) => part.toLowerCase() !== '_git');
}

function fileIdentity(rest: string): RemoteIdentity | null {
  const url = /^\/\/(?:localhost)?(?=\/)/i.exec(rest);
  const path = url ? decode(rest.slice(url[0].length)) : rest;
  const drive = /^\/*([a-z]:[\\/].*)$/is.exec(path)?.[1];
  if (drive !== undefined) return localIdentity(drive.replaceAll('\\', '/'), true);
  if (/^\/\/[^/]/.test(path)) return localIdentity(path, true);
  return localIdentity(path.replace(/^\/+/, '/'), false);
}

/** Windows ignores the case of a path. */
function localIdentity(path: string, isWindows: boolean): RemoteIdentity | null {
  const parts = cleanPath(path);
  if (!isWindows && /^[a-z]:(?:\\|$)/i.test(parts[0] ?? '')) {
    return localIdentity(parts.join('/').replaceAll('\\', '/'), true);
  }
  const displayName = parts.at(-1);
  if (displayName === undefined) return null;
  const isDrive = isWindows && (/^[a-z]:$/i.test(parts[0] ?? '') || !path.startsWith('//'));
  const lead = isDrive ? '/' : (/^\/{0,2}/.exec(path)?.[0] ?? '');
  const joined = isWindows ? caseless(parts.join('/')) : parts.join('/');
  return { canonicalId: `file:${lead}${joined}`, displayName, isLocal: true };
}

/** The parts of a path without empty ones, dots and the `.git` at its end. */
function cleanPath(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/').map((text) => text.replaceAll(CONTROLS, '').trim())) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  for (let last = parts.at(-1); last !== undefined; last = parts.at(-1)) {
    const stripped = last.replace(/\.git$/i, '').trim();
    if (stripped === last) break;
    if (/^\.{0,2}$/.test(stripped)) parts.pop();
    else parts[parts.length - 1] = stripped;
  }
  return parts;
}

/** A path with an invalid `%` escape is used as written. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path).toWellFormed();
  } catch {
    return path;
  }
}

/** A canonical id for display: a plain folder is shown as its path, without the device. */
export function workspacePlace(canonicalId: string): string {
  return workspaceKind(canonicalId) === 'folder' ? canonicalId.replace(/^folder:[^/:]*:/, '') : canonicalId;
}

import { type Context, context, type Detect, GUTTER } from './detect.ts';
import { isPasswordValue, isStandIn } from './values.ts';

const isPassword = (value: string) => isPasswordValue(value, 'literal');

const NETRC = new RegExp(
  String.raw`(\blogin[ \t]{1,8}\S{1,200}(?:[ \t]{1,8}|\r?\n${GUTTER})(?:account[ \t]{1,8}\S{1,200}(?:[ \t]{1,8}|\r?\n${GUTTER}))?password[ \t]{1,8}["']?)(\S{1,300})`,
  'g',
);
const NETRC_REVERSED = new RegExp(
  String.raw`(\b(?:machine[ \t]{1,8}\S{1,200}|default)(?:[ \t]{1,8}|\r?\n${GUTTER})password[ \t]{1,8}["']?)(\S{1,300})`,
  'g',
);

/** Finds `machine … login … password …`, on one line or several. */
export const detectNetrc: Detect = (text, report) => {
  if (!text.includes('login') && !text.includes('machine')) return;
  for (const pattern of [NETRC, NETRC_REVERSED]) {
    for (const { 1: before = '', 2: value = '', index } of text.matchAll(pattern)) {
      const password = value.replace(/["',]+$/, '');
      if (isPassword(password)) report('password', index + before.length, index + before.length + password.length);
    }
  }
};

/** Values in files that use their own names for secrets. */
export const FILE_VALUES: readonly Context[] = [
  context(
    'assigned-secret',
    'random_',
    /(\brandom_(?:password|string)"[^\0]{0,600}?"result": {0,3}")([^"\n]{4,300})(?=")/g,
    isPassword,
  ),
  context(
    'assigned-secret',
    ['Jwt', 'JWT', 'Token', 'Encryption', 'Signing'],
    /("(?:Jwt|JWT|Token|Encryption|Signing)\w{0,20}"[ ]{0,2}:\s{0,20}\{[^{}]{0,300}?"(?:Key|SigningKey)"[ ]{0,2}:[ ]{0,2}")([^"\s]{16,400})(?=")/g,
    isPassword,
  ),
  // Secrets of VPNs: `: PSK "x"`, `ada : EAP "x"`.
  context(
    'password',
    [' PSK ', ' EAP ', ' XAUTH '],
    /((?:^|[ \t]):[ \t](?:PSK|EAP|XAUTH)[ \t]{1,4}")([^"\n]{4,200})(?=")/gm,
    isPassword,
  ),
  // ODBC puts a password in braces.
  context(
    'password',
    ['PWD={', 'Pwd={', 'assword={'],
    /(;[ ]?(?:PWD|Pwd|Password|password)=\{)([^{}\n$]{4,200})(?=\})/g,
    isPassword,
  ),
  // `user:password` under a name: npmAuthIdent, BUNDLE_GEMS__EXAMPLE__COM, relay hosts of Postfix.
  context(
    'password',
    ['AuthIdent', 'BUNDLE_', ']:'],
    /((?:\b(?:npmAuthIdent|BUNDLE_\w{1,80})["']?[:=][ \t]{0,4}["']?|^\[[\w.-]{1,80}\]:\d{2,5}[ \t]{1,8})[\w.@+-]{1,60}:)([^\s"':]{4,200})/gm,
    isPassword,
  ),
  // `auth.json` of Composer: the host is the key.
  context(
    'token',
    ['-oauth"', '"bearer"', '-token"'],
    /("(?:github-oauth|gitlab-oauth|gitlab-token|bearer)"[ ]?:[ ]?\{\s{0,20}"[\w.-]{3,80}"[ ]?:[ ]?")([^"\s]{16,300})(?=")/g,
  ),
  // `kaggle.json`
  context('token', '"key"', /("username"[ ]?:[ ]?"[^"\n]{1,60}",\s{0,20}"key"[ ]?:[ ]?")([0-9a-f]{32})(?=")/g),
  // Keys of Azure accounts, and secrets of its vaults.
  context('azure-storage-key', 'keyName', /("keyName"[^{}]{1,200}"value"[ ]?:[ ]{0,2}")([A-Za-z0-9+/=]{40,200})(?=")/g),
  context(
    'assigned-secret',
    ['.vault.azure.net/secrets/', 'SecretString'],
    /((?:\.vault\.azure\.net\/secrets\/[^{}]{1,300}"value"|"SecretString")[ ]?:[ ]{0,2}")([^"{\\\n]{4,500})(?=")/g,
    isPassword,
  ),
  // A key of BIND: `secret "x";`
  context('assigned-secret', 'secret "', /(\bsecret[ \t]{1,4}")([A-Za-z0-9+/]{16,200}={0,2})(?=";)/g),
  context(
    'assigned-secret',
    ['etup key', 'nseal Key', 'ecovery Key'],
    /(\b(?:setup key|Unseal Key \d{1,2}|Recovery Key \d{1,2})(?: is)?:?[ \t]{1,3}["'`]?)([A-Za-z0-9+/=-]{16,64})(?![\w+/=])/gi,
    isPassword,
  ),
  // The private half of a key in XML.
  context('private-key', '<RSAKeyValue>', /(<(?:D|P|Q|DP|DQ|InverseQ)>)([A-Za-z0-9+/=\s]{40,2000})(?=<\/)/g),
  // Secret keys of minisign and signify.
  context('private-key', 'secret key', /(\bsecret key[ \t]{0,4}\r?\n[ \t+>-]{0,8})(RW[A-Za-z0-9+/]{50,400}={0,2})/g),
  // Private keys of Ethereum and Solana wallets.
  context(
    'private-key',
    ['ccounts', 'rivate Key', 'rivate key'],
    /((?:\baccounts["']?[ ]?[:=][ ]?\[\s{0,20}["']|\bPrivate Keys?\b[^\w\n]{0,4}\n[=\s]{0,60}\(\d{1,3}\)[ \t]{1,4}|\n\(\d{1,3}\)[ \t]{1,4}))(0x[0-9a-f]{64})(?!\w)/gi,
  ),
  context('private-key', 'fromSecretKey', /(\bfromSecretKey\([^[\n]{0,60}\[)((?:\s{0,8}\d{1,3},?){32,64})/g),
  context(
    'recovery-codes',
    ['codes', 'Codes'],
    /(\b(?:recovery|backup|scratch)[ _-]codes?[^\n:]{0,30}:\s{1,10})((?:(?:\d{1,2}[.)][ ])?[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3}[,;\s]{1,10}){1,20}[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3})/gi,
    (value) => (value.match(/\d/g)?.length ?? 0) * 6 >= value.length,
  ),
  context('password', 'community', /(\bsnmp-server community[ \t]{1,4})([^\s"']{4,60})/g, (value) =>
    isPasswordValue(value, 'bare'),
  ),
  context(
    'assigned-secret',
    'master.key',
    new RegExp(String.raw`(\bmaster\.key["']?[^\w\n]{0,8}\r?\n${GUTTER})([0-9a-f]{32})(?![0-9a-f])`, 'g'),
  ),
];

const PGPASS = new RegExp(
  String.raw`((?:^|["'])${GUTTER}(?:export )?[\w.*-]{1,120}:(\d{2,5}|\*):[\w*$.-]{1,80}:[\w*$.@-]{1,80}:)((?:[^:\s\\"']|\\.){3,200})(?=[ \t]{0,4}["']?\r?$)`,
  'gm',
);
/** Ports of PostgreSQL and its connection poolers; other lines with five fields are something else. */
const PG_PORT = /^(?:\*|54\d\d|64\d\d|65\d\d|5\d{4}|2\d{4})$/;

/** Finds `host:port:database:user:password`. */
export const detectPgpass: Detect = (text, report) => {
  const isNamed = text.includes('pgpass');
  if (!isNamed && !/:(?:\*|[256]\d{3,4}):/.test(text)) return;
  for (const { 1: before = '', 2: port = '', 3: value = '', index } of text.matchAll(PGPASS)) {
    if (!(isNamed || PG_PORT.test(port)) || !isPassword(value) || /^\d{1,5}$/.test(value)) continue;
    report('password', index + before.length, index + before.length + value.length);
  }
};

const KIND_SECRET = /\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret\b/;
const DATA = new RegExp(String.raw`^(${GUTTER})["']?(?:stringData|data)["']?:[ \t]{0,4}\{?[ \t]{0,4}\r?$`, 'gm');
const DATA_LINE = new RegExp(
  String.raw`^(${GUTTER}["']?[\w.-]{1,253}["']?:[ \t]{0,4}["']?)([^\s"',{}|>]{1,100000})["']?,?[ \t]{0,4}\r?$`,
);
const DATA_INLINE = /["']?(?:stringData|data)["']?:[ \t]{0,2}\{([^{}]{1,100000})\}/g;
const INLINE_PAIR = /["']?[\w.-]{1,253}["']?:[ \t]{0,2}["']?([^\s"',{}]{3,100000})/g;

/** Finds the values below `data` of a Kubernetes `Secret`, whatever their names. */
export const detectKubernetesSecrets: Detect = (text, report) => {
  if (!text.includes('Secret') || !KIND_SECRET.test(text)) return;
  for (const section of text.matchAll(DATA)) {
    let at = section.index + section[0].length + 1;
    for (const line of linesFrom(text, at)) {
      const pair = DATA_LINE.exec(line);
      if (pair === null || indentOf(line) <= indentOf(section[0])) break;
      const [, before = '', value = ''] = pair;
      if (value.length >= 3 && !isStandIn(value))
        report('assigned-secret', at + before.length, at + before.length + value.length);
      at += line.length + 1;
    }
  }
  for (const section of text.matchAll(DATA_INLINE)) {
    const from = section.index + section[0].indexOf('{') + 1;
    for (const pair of (section[1] ?? '').matchAll(INLINE_PAIR)) {
      const value = pair[1] ?? '';
      const end = from + pair.index + pair[0].length;
      if (!isStandIn(value)) report('assigned-secret', end - value.length, end);
    }
  }
};

function* linesFrom(text: string, from: number): Generator<string> {
  let at = from;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end < 0 ? text.length : end);
    if (end < 0) return;
    at = end + 1;
  }
}

const NUMBERED = /^[ \t]{0,80}(?:[\w./-]{1,120}[:-])?\d{1,7}(?:[→\t:-]|[ ]{0,2}[|│])/;

/** The indentation of a line without the prefix a tool added to it. */
function indentOf(line: string): number {
  const bare = line.replace(NUMBERED, '').replace(/^[+>|-]/, '');
  return bare.length - bare.trimStart().length;
}

const JWK = /["']kty["']/;
const JWK_PRIVATE = /(["'](?:d|p|q|dp|dq|qi|k)["'][ \t]{0,3}:\s{0,40}["'])([\w-]{20,1000})(?=["'])/g;

/** Finds the private members of a JSON Web Key. */
export const detectJwk: Detect = (text, report) => {
  if (!text.includes('kty') || !JWK.test(text)) return;
  for (const { 1: before = '', 2: value = '', index } of text.matchAll(JWK_PRIVATE)) {
    report('private-key', index + before.length, index + before.length + value.length);
  }
};

const LINE = /[^\r\n]{1,160}(?=\r?\n|$)/y;
const MAX_WORDS = 8;
/** Characters of a command, a comment or a sentence that a password of several words does not contain. */
const NO_WORD = /^-|[/=,;:(){}<>|"'`\\[\]#]|\.$/;
const SPOKEN =
  /^(?:a|an|the|is|are|be|must|should|can|will|not|no|of|or|and|to|for|with|at|least|in|on|if|your|my|this|that|it|from|as|by|characters?|chars|min|max|minimum|maximum|long|optional|required|set|use|see)$/i;
const COMMAND =
  /^(?:npm|npx|node|yarn|pnpm|bun|deno|python3?|pytest|pip3?|psql|pg_dump|pg_restore|mysql\w*|mariadb|docker|podman|make|go|cargo|bash|sh|zsh|env|sudo|curl|wget|ssh|scp|rsync|sshpass|git|gh|java|mvn|gradle|ruby|rails|bundle|php|composer|terraform|ansible\S*|kubectl|helm|aws|az|gcloud|restic|vault|dotnet|exec|timeout|time|uv|poetry|tsx|vitest|jest|cmd|echo)$/;
const SETTING = String.raw`${GUTTER}(?:export[ ]{1,4})?["']?[A-Za-z_][\w.-]{0,60}["']?[ ]{0,4}[=:]`;
const NEXT = new RegExp(String.raw`^\r?\n${SETTING}`);
const PREVIOUS = new RegExp(String.raw`(?:^|\n)${SETTING}[^\n]{0,120}\n[^\n]*$`);
const NEIGHBOR_CHARS = 300;

/**
 * An unquoted password of several words, as in `.env` and YAML files. Null for one word, a command after an assignment,
 * a sentence, and when no neighboring line is a setting too.
 */
export function spacedValueAt(text: string, nameStart: number, start: number): string | null {
  LINE.lastIndex = start;
  const value = LINE.exec(text)?.[0].replace(/[ \t]+(?:#.*)?$/, '') ?? '';
  const words = value.split(/[ \t]+/);
  if (words.length < 2 || words.length > MAX_WORDS || words.some((word) => NO_WORD.test(word) || SPOKEN.test(word)))
    return null;
  if (COMMAND.test(words[1] ?? '') || !isLikely(words)) return null;
  const end = start + value.length;
  const isSettings =
    NEXT.test(text.slice(end, end + NEIGHBOR_CHARS).replace(/^[ \t]+(?:#[^\n]*)?/, '')) ||
    PREVIOUS.test(text.slice(Math.max(0, nameStart - NEIGHBOR_CHARS), nameStart));
  return isSettings ? value : null;
}

/** Contains a number, or consists of words of equal length like an app password. */
function isLikely(words: readonly string[]): boolean {
  return (
    words.some((word) => /\d/.test(word)) || (words.length > 3 && new Set(words.map((word) => word.length)).size === 1)
  );
}

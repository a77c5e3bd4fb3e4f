import { type Context, context, type Detect, GUTTER } from './detect.ts';
import { isPasswordValue } from './values.ts';
import { isJumble } from './vendor-format.ts';

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
    /((?:\b(?:npmAuthIdent|BUNDLE_\w{1,80})["']?[:=][ \t]{0,4}["']?|(?:^|[\s→:+>])\[[\w.-]{1,80}\]:\d{2,5}[ \t]{1,8})[\w.@+-]{1,60}:)([^\s"':]{4,200})/gm,
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
  // A DNS provider of Caddy: `dns cloudflare x`
  context(
    'token',
    ['dns ', 'acme_dns '],
    /((?:^|[ \t{→])(?:acme_)?dns[ \t][a-z]{3,20}[ \t]{1,4})([\w-]{20,200})(?=[ \t]{0,8}(?:\}|\r?$))/gm,
    isJumble,
  ),
  context('token', 'sonar.login', /((?<![\w.])(?:-D)?sonar\.login[ ]?[=:][ ]?["']?)([^\s"'|;&$]{8,200})/g, isPassword),
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
  // A file of cookies, and cookies with their attributes.
  context(
    'cookie',
    ['TRUE\t', 'FALSE\t'],
    /(\t(?:TRUE|FALSE)\t\/\S{0,80}\t(?:TRUE|FALSE)\t\d{1,12}\t\S{1,80}\t)(\S{8,4000})/g,
  ),
  context(
    'cookie',
    ['; path=', '; Path=', '; HttpOnly', '; httponly', '; Secure', '; SameSite'],
    /((?:^|[\s"'`])[\w.-]{2,60}=)([^\s;,"'`<>]{16,4000})(?=;[ ](?:path=|HttpOnly|Secure|SameSite))/gim,
    isPassword,
  ),
  // Network devices: `crypto isakmp key x address …`, `radius-server key 7 x`, `pre-shared-key ascii-text x`.
  context(
    'password',
    [
      'isakmp key',
      'server key',
      'radius',
      'tacacs',
      'shared-key',
      ' PSK ',
      ' authentication-key',
      'key-string',
      'option key',
    ],
    /((?:\b(?:isakmp|(?:radius|tacacs|tacacs\+)(?:-server| server)?(?:[ ]host[ ]\S{1,60})?) key|\bpre-?shared-key(?: (?:ascii-text|hexadecimal|local|remote))?|: PSK|\bauthentication-key|\bkey-string|\boption key)[ \t]{1,4}(?:\d[ ])?["']?)((?:0s)?[^\s"']{6,200})/g,
    (value) => isPasswordValue(value.replace(/^\$/, 'S'), 'bare'),
  ),
  context(
    'password',
    ['stats auth', 'static:'],
    /(\b(?:stats auth|static)[: ][ \t]{0,3}[\w.@+-]{1,60}:)([^\s"']{4,200})/g,
    isPassword,
  ),
  // Parameters of AWS, as JSON and as columns.
  context(
    'assigned-secret',
    'SecureString',
    /((?<!-)\bSecureString["'\t ,]{1,4}(?:["']?Value["']?[ ]?:[ ]?["'])?)(?!-)([^\s"'\\]{4,500})/g,
    isPassword,
  ),
  // The numbers of a private key as OpenSSL prints them, and the bytes of a wallet.
  context(
    'private-key',
    ['priv:', 'rivateExponent:', 'rivate exponent', 'prime1:', 'prime2:', 'exponent1:', 'exponent2:', 'coefficient:'],
    /(\b(?:priv|private ?Exponent|prime[12]|exponent[12]|coefficient):\s{1,20})((?:[0-9a-f]{2}:\s{0,12}){7,600}[0-9a-f]{2}|[0-9a-f]{32,1024})/gi,
  ),
  context(
    'private-key',
    ['keypair', 'Keypair', 'secret', 'wallet', 'private'],
    /(\b(?:keypair|secret[ _-]?key|wallet|private[ _-]?key)\b[^[\n]{0,40}\[)((?:\s{0,8}\d{1,3},){31,63}\s{0,8}\d{1,3})(?=\s{0,8}\])/gi,
  ),
  context(
    'password',
    'ftp',
    /(\bftp\b[^\n]{0,80}<<[^\n]{0,20}\n[ \t]{0,8}(?:quote )?user[ ]\S{1,60}[ ])(\S{3,100})/gi,
    isPassword,
  ),
  // Secrets of PPP: `ada * x *`; accounts of mail clients: `User ada` and `Pass x`.
  context(
    'password',
    [' * '],
    /((?:^|[ \t:])["']?[\w.@-]{1,60}["']?[ \t]{1,8}\*[ \t]{1,8}["']?)([^\s"'*]{6,100})(?=["']?[ \t]{1,8}(?:\*|\d{1,3}(?:\.\d{1,3}){3})[ \t]{0,8}$)/gm,
    (value) => isPasswordValue(value, 'bare'),
  ),
  context(
    'password',
    ['Pass ', 'pass '],
    /(\b[Uu]ser[ ]\S{1,80}\r?\n[ \t]{0,20}[Pp]ass[ ]["']?)([^\s"']{4,200})/g,
    isPassword,
  ),
  context('password', 'requirepass"', /("requirepass"\r?\n[ \t]{0,8}2\)[ ]")([^"\n]{4,200})(?=")/g),
  context('password', 'auth-user-pass>', /(<auth-user-pass>\s{1,8}\S{1,100}\s{1,8})(\S{4,200})/g),
  // Installers: `rootpw --plaintext x`, `passwd/user-password password x`, `chpasswd` of cloud-init.
  context(
    'password',
    ['rootpw', 'passwd/', 'chpasswd'],
    /((?:\brootpw(?: --\w{4,12})?|\bpasswd\/\S{1,40} password|\bchpasswd:\s{1,40}(?:expire: \w{1,6}\s{1,40})?list: ?\|?\s{1,40}[\w.-]{1,40}:)[ \t]{0,4})([^\s"']{4,200})/g,
    (value) => isPasswordValue(value, 'bare') || value.startsWith('{'),
  ),
  context(
    'assigned-secret',
    ['ecret_id', 'ecretID', 'ecretId', 'ECRET_ID'],
    /(\bsecret_?id["']?[ \t]{0,4}[:=]?[ \t]{1,20}["']?|\bsecret_?id["']?[:=]["']?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi,
  ),
  // `##vso[task.setvariable variable=NAME;issecret=true]x`
  context('masked-value', 'issecret=true', /(;issecret=true[^\]\n]{0,40}\])([^\n"']{3,1000})/gi),
  context('password', 'community', /(\bsnmp(?:-server)? community[ \t]{1,4})([^\s"']{4,60})/g, (value) =>
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

import { UUID_PATTERN } from '../lib/ids.ts';
import type { Detect } from './detect.ts';
import { entropyBits, isWordy } from './values.ts';
import { isJumble, isLowerCaseJumble, isVaried } from './vendor-format.ts';

/** A run of letters, digits, `_` and `-` that may be a key with a prefix. Only one match can start in each run. */
const RUN =
  /(?:(?<![\w+.%@~\\-])(?<!\bsha\d{3}=)|(?<=-\d{1,6}-)|(?<=^[+-]{1,2}))(?:[a-z][a-z0-9]{0,15}|[A-Z][A-Z0-9]{1,15})[_-][\w-]{14,300}={0,2}(?![\w+/=-]|\.\w{2,5}\b)/gm;
const MAX_GROUPS = 4;
const GROUP = /(?:[a-z][a-z0-9]{0,15}|[A-Z][A-Z0-9]{0,15})[_-]/y;

/** Words in a prefix with which vendors mark secret keys. */
const SECRET_WORDS =
  /(?:^|[_-])(?:sk|secret|[a-z]{0,8}key|signkey|apikey|live|prod|pat|rw|api|tok|tkn|token|auth|oat|sat|sec|private|esecret|sbox|ak|dag)[_-]/i;
/** These also start names of tests and files. */
const TEST_WORDS = /(?:^|[_-])(?:test|dev)[_-]$/i;
/** `pk_live_` and the like are public, and so are the identifiers of requests, messages and calls. */
const PUBLIC =
  /^(?:pk|pub|public|publishable)[_-]|^prod_[A-Za-z0-9]{14}$|(?:^|[_-])(?:toolu|srvtoolu|msg|req|chatcmpl|call|resp)[_-]/;
/** Prefixes of identifiers and checksums, which are as long and random as keys. */
const IDENTIFIERS =
  /^(?:sha\d{1,3}|md5|nonce|integrity|chatcmpl|resp|msg|toolu|srvtoolu|call|req|request|run|thread|file|batch|asst|step|item|rs|fc|user|org|team|prj|dpl|iss|proj|project|session|chunk|index|assets?|css|js|data|blob|tree|commit|cache|hash|etag|id|uid|uuid|trace|span|event|evt|node|image|img|layer|build|webpack|vite|next|build|static|thumb|media|video|doc|page|folder|gid|block|tx|addr|account|acct|cus|pi|seti|cs|in|sub|price|prod|ch|pm|src|card|txn|re|evt|tmp|temp|container|volume|snapshot|digest|checksum|sum|root|fingerprint|fp|ref|version|rev|bundle|chunk|font|icon|signature|sig|nonce|test|mock)[_-]/i;
/** One or two groups of letters before a number of the length of a key. */
const SHORT_HEX =
  /^(?:[a-z]{2,10}_)?(?:[a-z]{2,4}_[0-9a-f]{28,48}|[a-z][a-z0-9]{1,12}_[0-9a-f]{64,160})(?:_[0-9a-f]{8})?$/i;
const MIN_BARE_CHARS = 28;
const MIN_BARE_BITS = 4;
const MIN_DIGITS = 2;
/** In one case a key must be longer to differ from an identifier. */
const MIN_ONE_CASE_CHARS = 36;

/** Finds keys of vendors that are not in the table: a prefix, then a long run without words. */
export const detectUnknownVendors: Detect = (text, report) => {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (isPrefixedKey(run.replace(/=+$/, ''), text.charAt(index - 1) === '/'))
      report('api-key', index, index + run.length);
  }
  for (const { 0: group, index } of text.matchAll(LAST_GROUP)) {
    const first = GROUPS_BEFORE.exec(text.slice(Math.max(0, index - 100), index))?.[0] ?? '';
    const isKey = isLongKey(group.slice(1)) || (isJumble(group.slice(1)) && isJumble(/[\w-]*$/.exec(first)?.[0] ?? ''));
    if (first !== '' && isKey) report('api-key', index - first.length, index + group.length);
  }
  for (const { 0: find, index } of text.matchAll(COMPOUND)) {
    if (isVaried(find) && /\d/.test(find) && /[A-Za-z]/.test(find)) report('api-key', index, index + find.length);
  }
};

/** Groups with dots between them, of which the last is the key or the last two are: `snyk_uat.12345678.x`. */
const LAST_GROUP = /\.[\w-]{20,300}(?![\w.([=-])/g;
const GROUPS_BEFORE = /(?<![\w.@/$-])[a-z][a-z0-9_]{1,15}(?:\.[\w-]{2,64}){0,2}$/;

/** A name in code, of at least four words: `sk_X509_LOOKUP_new`. */
const NUMBERED_WORDS = /^(?:[A-Za-z]{1,20}\d{0,5}[_-]){3,}[A-Za-z]{1,20}\d{0,5}$/;

/** In a path only a prefix that names a key counts: files have long random names too. */
function isPrefixedKey(run: string, isInPath: boolean): boolean {
  if (PUBLIC.test(run) || NUMBERED_WORDS.test(run)) return false;
  let end = 0;
  for (let group = 0; group < MAX_GROUPS; group++) {
    GROUP.lastIndex = end;
    if (!GROUP.test(run)) return false;
    end = GROUP.lastIndex;
    const prefix = run.slice(0, end);
    const rest = run.slice(end);
    if (/^[_-]/.test(rest)) return false;
    const isNamed = SECRET_WORDS.test(prefix);
    if (TEST_WORDS.test(prefix) && /^[A-Za-z0-9]+$/.test(rest) && /\d.*\d/.test(rest) && isNamedKey(rest)) return true;
    if (!isInPath && SHORT_HEX.test(run) && !isIdentifier(run)) return true;
    if (isNamed ? isNamedKey(rest) : !isInPath && !IDENTIFIERS.test(prefix) && isLongKey(rest)) return true;
  }
  return false;
}

/** The prefix says that it is a key, so the last part decides. */
function isNamedKey(rest: string): boolean {
  const body = rest.replaceAll(/^-+|[_-](?=\w{0,3}$)/g, '');
  return (isJumble(body) || isLowerCaseJumble(body)) && !/[_-]{2}/.test(rest);
}

/** Returns true when any group of the prefix is that of an identifier. */
function isIdentifier(run: string): boolean {
  return run.split('_').some((group) => IDENTIFIERS.test(`${group}_`));
}

/** Nothing says that it is a key, so it must be longer than an identifier, with letters in both cases and digits. */
function isLongKey(rest: string): boolean {
  if (rest.length >= MIN_ONE_CASE_CHARS && /^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(rest))
    return isLowerCaseJumble(rest.toLowerCase());
  const body = rest.replaceAll(/[_-]/g, '');
  const digits = body.match(/\d/g)?.length ?? 0;
  return (
    body.length >= MIN_BARE_CHARS &&
    rest.length - body.length <= rest.length / 10 &&
    digits >= MIN_DIGITS &&
    /[a-z]/.test(body) &&
    /[A-Z]/.test(body) &&
    // An alphabet has every character once.
    new Set(body).size < body.length &&
    isVaried(body) &&
    !isWordy(body) &&
    entropyBits(body) >= MIN_BARE_BITS
  );
}

/** Keys without a prefix whose parts have fixed lengths: Mailgun, fal, DeepL, Ghost, Zhipu, ngrok, Ably, Facebook. */
const COMPOUND = new RegExp(
  [
    String.raw`[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])`,
    `${UUID_PATTERN}:(?:fx|[0-9a-f]{32})(?![\\w-])`,
    String.raw`[0-9a-f]{24}:[0-9a-f]{64}(?!\w)`,
    // The key of a product: five groups of five.
    String.raw`(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![\w-])`,
    String.raw`[0-9a-f]{32}\.(?=\w{0,15}[A-Z])(?=\w{0,15}\d)[A-Za-z0-9]{16}(?![\w.(])`,
    String.raw`[23](?=\w{0,25}[A-Z])(?=\w{0,25}[a-z])[A-Za-z0-9]{26}_(?=\w{0,21}[A-Z])(?=\w{0,21}\d)[A-Za-z0-9]{20,22}(?!\w)`,
    String.raw`[A-Za-z0-9]{5,6}\.[A-Za-z0-9]{6}:(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])`,
    String.raw`\d{15,16}\|(?=[\w-]{0,26}[A-Z])(?=[\w-]{0,26}[a-z])[\w-]{27}(?![\w-])`,
  ]
    .join('|')
    .replace(/^/, String.raw`(?:(?<![\w.:-])|(?<=-\d{1,6}-))(?=[A-Za-z0-9]{5})(?:`)
    .replace(/$/, ')'),
  'g',
);

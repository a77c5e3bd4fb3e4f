/** How a value is written: whether it must be a literal, and how much its name alone proves. */
export type Form =
  /** `NAME=value` as in an environment, an option, a query or a JSON key: always a literal. */
  | 'literal'
  /** A literal in code or prose; may also be a label or a message key. */
  | 'quoted'
  /** May be a variable, a type or a call. */
  | 'bare';

const CODE = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|!\.|::|->)[A-Za-z_$#][\w$]*)*[?!;,.:]?$/;

/** Complete values that are placeholders. A value that only starts like one is classified normally. */
const STAND_INS: readonly RegExp[] = [
  /\[secret:[a-z0-9-]{1,40}\]/,
  /^\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+(?:[A-Z][a-z]+)*\d?)(?:(?:->|\[|\(|[:/@]\$).*)?$|^\$[A-Za-z_]\w*\{/,
  /^\$(?:\{.*|\(.*|\[.*|$)/,
  /^\W{0,3}(?:redacted|masked|hidden|removed|filtered|scrubbed|omitted|sensitive)\W{0,3}$/i,
  // Rules of a form: `required|min:8`.
  /^(?:required|nullable|sometimes|string|confirmed|min:\d{1,3})(?:\|[\w:,]{1,40})+$/,
  // A regular expression, an alphabet, a format.
  /^(?:\.[*+]|\\[SsWwDd.(]|\[\^|\[[\w-]{3,30}\]|\(\.|\(\?)|abcdefghijklm/i,
  /^(?:%[sdr][:/@.-]?){1,6}$/,
  // A call or an item of a list in code: `auth[2]`, `get_token(value)`.
  /^[a-z_]+(?:\.[a-z_]+){0,4}(?:\([a-z_.,: []*\d?[\])]{0,2}\)|\[["']?\w{1,30}["']?\])$/,
  /^\{.*\}$|^%\w*%$|^%[a-z]$|^<.*>$|^@[A-Za-z_]+@?$|^\*\S+\*$|^#\{.*$/,
  /^[*•.·…#_-]+$|\*{3}|•{3}|\.{3}|…/,
  /x{5}|^x{3,}$|^0{6,}$|^1{6,}$|^\?+$/i,
  // Sample values from documentation. A password that only starts like one is classified normally.
  /^(?:test|testing|foo|bar|baz|qux|foobar|xyz|qwer|asdf|qwerty|demo|dummy|sample|guest|postgres|root|admin|mysql)$/i,
  /^(?:\w{1,12}=)?(?:abc|key|token|secret|pass(?:word)?|user|test)?[_-]?(?:12345678901234567890|1234567890|123456789|12345678|1234567|123456|12345|1234|123)$/i,
  /^(?:abc|admin|user|foo):(?:secret|pass(?:word)?|xyz|bar)$|EXAMPLE(?:KEY)?$/,
  /^(?:your|(?:insert|enter|replace|change|fill|add|put|set)(?=[-_ ](?:me|your|here|this|in|it|the|an?)(?![a-z0-9]))|todo|fixme|placeholder|redacted|removed|hidden|masked|sanitized|example)(?![a-z0-9])/i,
  /^(?:your(?=[A-Z])|changeme|changeit|replaceme)/,
  /^(?:null|nil|none|undefined|true|false|yes|no|on|off|empty|unset|string|number|boolean|bool|bytes|object|any|unknown|optional|required|disabled|enabled|str|int|text|void|never|default|prompt|secret|token|key|password|passwd|passphrase|pass|pwd|pw|value|auth|credentials?|basic|bearer|user|username|varchar|omit|include|same-origin|production|preview|development)[;,.)]*$/i,
];

/** Returns true for a placeholder: a variable, a mask, an instruction, the word itself. */
export function isStandIn(value: string): boolean {
  return STAND_INS.some((pattern) => pattern.test(value));
}

/** Returns true for a value that a person may have chosen as a password. */
export function isPasswordValue(value: string, form: Form): boolean {
  if (value.length < 3 || isStandIn(value) || isReference(value)) return false;
  if (form === 'bare' && /^[A-Za-z]+[.,;]?&[a-z]{2,4}$/.test(value)) return false;
  if (form === 'literal') return value.length >= 4 || /[^A-Za-z]/.test(value);
  if (form === 'quoted')
    return (
      value.length >= 4 &&
      !/^[\^~]?\d+(?:\.\d+)+$/.test(value) &&
      !/^[A-Za-z_.: ]*(?:pass(?:word|wd|e|wort)|contrase)[^\d!@#$%^&*-]*$/i.test(value) &&
      !isLabel(value)
    );
  if (isDiceware(value)) return true;
  return (
    value.length >= 6 &&
    (!isCode(value) || isChosen(value) || isNumberedWord(value)) &&
    (hasDigit(value) || /[!@#$%^&*+=?~]/.test(value) || isGibberish(value, form)) &&
    /[A-Za-z]|^\d{6,20}$/.test(value) &&
    !/^0x[0-9a-f]+$/i.test(value)
  );
}

/** Words about passwords and code, which a name contains rather than a password. */
const TECHNICAL: ReadonlySet<string> = new Set(
  `pass password passwd passphrase passcode pwd secret secrets token tokens key keys user users username name names field
  fields value values input type your my our the here not this that length required error errors valid invalid wrong
  reset change changed forgot new old confirm login auth hash hashed vault db admin example sample dummy test store
  manager protected policy strength check config param params string encoded decoded version column index node line page
  step case part item level mode group section chapter figure table get set is has are must should with for from and or
  to in on at by of no if please enter choose pick type show hide keep save send use using was were does can will
  may only again same more less than least most without when what which who how why please reuse required generator field hint label form prompt screen view model`.split(
    /\s+/,
  ),
);

const isTechnical = (value: string) =>
  value.split(/[-_.\d!?#$%&*]|(?=[A-Z])/).some((word) => TECHNICAL.has(word.toLowerCase()));
const CHOSEN = /^[A-Z]?[a-z]{2,14}(?:[_-]?[A-Z]?[a-z]{2,14}){0,3}[_-]?\d{2,6}(?:[!?#$%&*]{0,2}|[a-z])$/;
/** Mixed letters that end with a number and a mark, which no identifier does: `c0pperBanana8!`. */
const MARKED = /^(?=\w*[A-Z])(?=\w*[a-z])\w{6,30}\d[!?#$%&*]$/;
const NUMBERED =
  /^(?:sha|md|utf|base|aes|int|uint|float|key|arg|val|var|tmp|test|pass\w*|pwd|p|rsa|hex|es|ascii|latin|iso|rfc|chacha|poly|blake|curve|ed|secp|ripemd|line|page|step|case|argon|bcrypt|scrypt|bytes|varchar|oauth|http|level|phase|option|double|fixed|vector|matrix)\d/i;
/** Four or more words, as a generator of passphrases joins them. */
const DICEWARE = /^[A-Za-z]{3,12}(?:([-.])[A-Za-z]{3,12})(?:\1[A-Za-z]{3,12}){2,6}\d{0,4}$/;

/** Words and a number, as in passwords but not in identifiers: `hunter22`, never `utf8` or `sha256`. */
function isChosen(value: string): boolean {
  if (MARKED.test(value)) return true;
  return CHOSEN.test(value) && !NUMBERED.test(value) && (/^[A-Za-z]+\d/.test(value) || !isTechnical(value));
}

/** `hunter2`: a word and one digit, but neither a type nor an algorithm. */
function isNumberedWord(value: string): boolean {
  return /^[a-z]{5,12}\d$/.test(value) && !NUMBERED.test(value) && !isTechnical(value);
}

/** A password that a person chose for something that usually has a generated key. */
export function isChosenSecret(value: string): boolean {
  return isChosen(value) && !isTechnical(value) && !isStandIn(value);
}

function isDiceware(value: string): boolean {
  return DICEWARE.test(value) && !isTechnical(value);
}

/** Four or more plain words that are no sentence about passwords: `correct horse battery staple`. */
export function isPassphrase(value: string): boolean {
  return /^[a-z]{3,12}(?: [a-z]{3,12}){3,7}$/.test(value) && !value.split(' ').some((word) => TECHNICAL.has(word));
}

/** For `SECRET` and `CREDENTIALS`: often words chosen by a person, joined by dashes. */
export function isSecretValue(value: string, form: Form): boolean {
  if (isRandomValue(value, form) || isChosenSecret(value)) return true;
  if (form !== 'literal' || value.length < 10 || isStandIn(value) || isReference(value)) return false;
  return (
    !/^\d+$/.test(value) &&
    (value.length >= 12 || /[^A-Za-z]/.test(value)) &&
    !/^[A-Za-z]+(?:\.[A-Za-z]+)+$/.test(value)
  );
}

const MIN_TOKEN_CHARS = 8;
const MIN_ENTROPY_BITS = 2.7;

/** Returns true for a generated value: letters and digits without a pattern, or many letters in both cases. */
export function isRandomValue(value: string, form: Form): boolean {
  if (value.length < MIN_TOKEN_CHARS || isStandIn(value) || isReference(value)) return false;
  if (form === 'bare' && (isCode(value) || /^base\d\d(?:url)?$/i.test(value))) return false;
  if (!hasDigit(value) || !/[A-Za-z]/.test(value)) return isGibberish(value, form);
  if (isVersioned(value) || (form === 'quoted' && !/\d{3}/.test(value) && isWordy(value))) return false;
  return entropyBits(value) >= MIN_ENTROPY_BITS;
}

export function isHex(value: string): boolean {
  return /^(?:0x)?[0-9a-f]+$/i.test(value);
}

/** Web pages contain these keys of Stripe and Clerk. */
export function isPublishable(value: string): boolean {
  return /^pk_(?:test|live)_/.test(value);
}

/** A reference to a secret rather than the secret itself: a path, a URL, an expression. */
function isReference(value: string): boolean {
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && isWordy(value)) return true;
  if (isPublishable(value)) return true;
  if (/^(?:https?|file|s3|gs|vault|op|ssm|arn|aws|secret|secrets|keychain|env|sops):/.test(value)) return true;
  if (
    /^(?:process|os|env|import|self|this|config|settings|options|opts|props|params|args|req|request|ctx|context|secrets|vars|inputs|data|state|module|window|document|global|globalThis|Deno|Bun)(?:\.|\[|\?\.)/.test(
      value,
    )
  )
    return true;
  if (/^(?:(?:~|\.{1,2})?\/[\w.@-]+|[\w.@-]+\/[\w.@-]+)(?:\/[\w.@-]+)+\/?$/.test(value)) return isPath(value);
  return /^[A-Z]:\\|^\.{1,2}\/|^~\//.test(value);
}

/** An AWS secret key may start with a slash and contain more of them; a path consists of words. */
function isPath(value: string): boolean {
  const parts = value.split('/').filter((part) => part !== '');
  const words = parts.filter((part) => /^[.@]?[A-Za-z]?[a-z-]+(?:[_.-][a-z0-9]+)*$|^v?\d{1,4}$/.test(part));
  return words.join('').length * 2 >= parts.join('').length;
}

/** A label or a message: one word of letters with a capital, or a key such as `auth.password.label`. */
function isLabel(value: string): boolean {
  return (
    /^[A-Z][a-z]+$/.test(value) ||
    (/^\p{L}+$/u.test(value) && !/^[\x20-\x7e]+$/.test(value)) ||
    /^[a-z]+(?:[.:/][a-zA-Z_]+)+$/.test(value)
  );
}

/** The last part of a type: `ed25519.Ed25519PrivateKey`. */
const TYPE_NAME = /[a-z](?:Key|Token|Secret|Password|Credentials?|Provider|Type|String)$/;

/** An identifier in code, or a call. */
function isCode(value: string): boolean {
  const operand = value.replace(/^(?:\.{3}|[!+~-]{1,2})/, '');
  if (/^[\w$.]*[([]/.test(operand)) return true;
  return CODE.test(operand) && (isWordy(operand) || TYPE_NAME.test(operand));
}

const MIN_WORDY_SHARE = 0.6;
const MIN_VOWEL_SHARE = 0.2;
const MAX_WORD_CHARS = 14;
const MAX_LONG_WORD_CHARS = 18;
const MAX_NUMBERS = 3;
/** This much of a long value is enough to see what it consists of. */
const MAX_WORDY_CHARS = 100;

/**
 * Returns true for text made of words, like identifiers: `Uint8Array`, `accessToken2`. Random letters have few vowels
 * and short runs.
 */
export function isWordy(text: string): boolean {
  const value = text.slice(0, MAX_WORDY_CHARS);
  if ((value.match(/\d+/g)?.length ?? 0) > MAX_NUMBERS) return false;
  const words = (value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).filter(isWord);
  const marks = value.match(/[^A-Za-z0-9]/g)?.length ?? 0;
  return words.join('').length >= (value.length - marks) * MIN_WORDY_SHARE;
}

/**
 * Letter pairs that are common in English words and names: each group is a letter followed by its possible successors.
 */
const PAIRS = `abcdfgiklmnprstuvwxy bacdeijlmorstuy cacehiklorstuy dabcdegilmnorsuv eabcdefghilmnopqrstuvwxy faefilortuy
  gaeghilmnorsu haeiortuy iabcdefgklmnoprstvxz jaeosu kaeilsu labcdefilopstuvy mabdeilmopsu nabcdefghijklmnoprstuvy
  oabcdefgiklmnoprstuvwx paehiloprstuy qu rabcdefgiklmnoprstuvy sacefhiklmnoprstuwy tacdefhilmoprstuwy uabcdefgilmnoprst
  vaeio waehinors xaceipt yadeilmnopst zaeio`.split(/\s+/);
/** Letters are indexed by the last five bits of their codes, which both cases share. */
const LETTER_BITS = 5;
const LETTER_MASK = 31;
const isCommonPair = new Uint8Array(1 << (2 * LETTER_BITS));
for (const [first = '', ...rest] of PAIRS) {
  for (const second of rest) isCommonPair[pairOf(first.charCodeAt(0), second.charCodeAt(0))] = 1;
}

function pairOf(first: number, second: number): number {
  return ((first & LETTER_MASK) << LETTER_BITS) | (second & LETTER_MASK);
}

const CHARS_PER_RARE_PAIR = 8;

function isPronounceable(piece: string): boolean {
  let rare = 0;
  for (let at = 1; at < piece.length; at++) {
    if (isCommonPair[pairOf(piece.charCodeAt(at - 1), piece.charCodeAt(at))] === 0) rare++;
  }
  return rare <= Math.floor(piece.length / CHARS_PER_RARE_PAIR);
}

function isWord(piece: string): boolean {
  return hasVowels(piece) && isPronounceable(piece);
}

function hasVowels(piece: string): boolean {
  const vowels = piece.match(/[aeiouy]/gi)?.length ?? 0;
  if (piece.length > MAX_WORD_CHARS) return piece.length <= MAX_LONG_WORD_CHARS && vowels >= piece.length / 3;
  return piece.length >= 4 && vowels >= piece.length * MIN_VOWEL_SHARE;
}

const MIN_LETTERS = 12;

/** Returns true for letters that form no words: capitals in the middle, or a long unpronounceable run. */
function isGibberish(value: string, form: Form): boolean {
  const letters = value.replaceAll(/[^A-Za-z]/g, '');
  if (letters.length < MIN_LETTERS || letters.length < value.length * 0.8 || isWordy(value)) return false;
  if (form === 'literal') return true;
  const changes = letters.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return changes >= letters.length / 4 && /[A-Z]{2}/.test(letters);
}

/**
 * Identifiers that contain a number: `cl100k-base`, `gpt-4o`, `sha256`, `my-key-2`, `step-12`, `1.2.3`, `2026-01-02`.
 */
function isVersioned(value: string): boolean {
  if (/^[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?v?\d{1,3}$/.test(value) && value.length < 16)
    return value.length < MIN_LETTERS || isWordy(value);
  return /^\d{1,4}(?:[.:/-]\d{1,4}){1,5}(?:[T ].*|[A-Za-z]{1,3})?$/.test(value);
}

function hasDigit(value: string): boolean {
  return /\d/.test(value);
}

/** Shannon entropy per character. */
export function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

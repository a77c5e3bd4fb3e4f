import { createAnchorScan, type Detect, type Report } from './detect.ts';
import { classifyName } from './names.ts';
import { isChosenSecret, isHex, isPasswordValue, isStandIn, isWordy } from './values.ts';
import { isJumble } from './vendor-format.ts';

/*
 * A value that can hardly be anything but a secret, in the same sentence as a word for one: "I rotated the key (old:
 * x)", "x was our production token", "Q: what's the password? A: x". The other detectors accept weaker values, but only
 * in forms they know.
 */

/** Beside a sentence only a value that no word looks like is a password. */
export const isSpokenPassword = (value: string) =>
  isPasswordValue(value.replace(/[.:!?]$/, ''), 'bare') && !/^--|::|^\w+=[A-Za-z]+$/.test(value);

/** Letters in both cases between several numbers, unlike `1Password` and `2FA`. */
const MIXED = /^(?=\w*\d\w*[A-Za-z]\w*\d)(?=\w*[a-z])(?=\w*[A-Z])(?=(?:\D*\d){3})\w{8,40}$/;

/** Short parts in both cases and a digit, as from a generator of passwords: `x3hF5UE3fhgn`. */
const isScrambled = (value: string) =>
  /^(?=[a-zA-Z]*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9]{10,40}$/.test(value) && !isWordy(value) && !isIdentifier(value);

/** Without a sign between the word and its value, the value must have a symbol, or both cases and a number. */
export const isStrongPassword = (value: string) =>
  isSpokenPassword(value) &&
  (!/^(?:\d|v\d|[A-Z]{2,8}-?\d)|^\w+-\d$/.test(value) || isJumble(value) || MIXED.test(value)) &&
  !/^[\w.-]+@[\w-]+\.[a-z]{2,}$/.test(value) &&
  /\d/.test(value) &&
  (/[a-z]{2}.*\d{2}/i.test(value) ||
    /[A-Za-z].*[!@#$%^&*?~]|[!@#$%^&*?~].*[A-Za-z]/.test(value) ||
    isJumble(value) ||
    isScrambled(value) ||
    MIXED.test(value));

const NOUNS =
  'key token secret credential creds bearer authorization macaroon biscuit wif password passwd passphrase passcode pwd pw pat';
const scan = createAnchorScan(
  NOUNS.split(' ').map((noun) => [noun, noun.length] as const),
  { ignoreCase: true },
);
/** The rest of a name before the word: `STRIPE_KEY`, `apiKey`. */
const NAME_BEFORE = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9]{1,20}_){0,4}(?:[A-Za-z]{2,12}(?=$))?(?:api[ -])?$/i;
const MAX_DISTANCE = 120;
/** A generated value between spaces, quotes or brackets. */
const VALUE =
  /(?<=^|[\s"'`“‘([>*:=])[A-Za-z0-9](?:[\w+~!#$%^&*?@-]{7,200}={0,2}|[\w+/]{20,200}={1,2})(?=[\s"'`”’)\],;:<]|\.(?!\w)|$)/g;
/** The text allowed between the word and the value: words and the punctuation of a sentence. */
const PROSE = /^[ \t\r\n\p{L}'’,.;:()?!>→—–*"“”\x60-]{0,60}$/u;
const JSON_GAP = /["'][,:]|[,:]["']/;
/** Words that say what else the value is. */
const OTHER =
  /\b(?:public|publishable|pub|fingerprint|hash(?:ed|es)?|sha\d{0,3}|md5|digest|checksum|commit|revision|signature|etag|ids?|uuid|nonce|cache|primary|foreign|sort|partition|index|cursor|page|next|continuation|file|image|blob|model|request|version|regex|pattern|charset|alphabet)\b/i;
export const isOther = (words: string) => OTHER.test(words);

/** A comment after code says what a literal is: `connect(x, "…") // sid, auth token`. */
const COMMENT = /[ \t](?:\/\/|#|--|\/\*)[ \w,'’-]{0,60}$/;
const LITERAL = /(?<=["'`])[A-Za-z0-9][\w+~!#$%^&*?-]{7,200}={0,2}(?=["'`])/g;
/** A name in JSON: `detectAssignments` reads its value, and its neighbors belong to other names. */
const JSON_KEY = /^\\{0,2}":/;
/** "the SHA-256 of the token, for example x" */
const MAX_DIGEST_DISTANCE = 24;
const WORD_BEFORE = /[A-Za-z]{1,16}[ _-]$/;

/** Finds strong values near the English words for secrets. */
export const detectNearby: Detect = (text, report) => {
  scan(text, (at, _, length) => {
    const end = at + length + (/s/i.test(text.charAt(at + length)) ? 1 : 0);
    if (
      /[A-Za-z0-9+/]/.test(text.charAt(end)) ||
      text.startsWith('did:', at - 4) ||
      JSON_KEY.test(text.slice(end, end + 4))
    )
      return null;
    const before = NAME_BEFORE.exec(text.slice(Math.max(0, at - 80), at));
    if (before !== null) reportNear(text, at - before[0].length, end, report);
    return end;
  });
};

/** A line break, unless it follows a question: the next line answers it. */
const END_OF_SENTENCE = /(?<!\?["'”]?)[\r\n](?!(?:assistant|a|me)[:>])/i;
/** Reports the strong values in the sentence around a word for a secret. */
export function reportNear(text: string, start: number, end: number, report: Report): void {
  const noun = text.slice(start, end);
  const lineEnd = text.slice(end, end + MAX_DISTANCE).search(END_OF_SENTENCE);
  const after = text.slice(end, end + (lineEnd < 0 ? MAX_DISTANCE : lineEnd));
  const near = text.slice(Math.max(0, start - MAX_DISTANCE), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  if (!/\d/.test(after) && !/\d/.test(before)) return;
  const word = WORD_BEFORE.exec(before)?.[0] ?? '';
  if (OTHER.test(word) || (/key$/i.test(noun) && isOtherKey(`${word}${noun}`.replaceAll(/[ -]/g, '_')))) return;
  const reportAt = (value: string, at: number) => report(kindOf(noun), ...wholeRun(text, at, at + value.length));
  for (const { 0: value, index } of after.matchAll(VALUE)) {
    const isDigest = isHex(value) && OTHER.test(before.slice(-MAX_DIGEST_DISTANCE));
    if (!isDigest && isNear(after.slice(0, index), value, word + noun)) reportAt(value, end + index);
  }
  for (const { 0: value, index } of before.matchAll(VALUE)) {
    if (!isHex(value) && isNear(before.slice(index + value.length), value, word + noun))
      reportAt(value, start - before.length + index);
  }
  const comment = COMMENT.exec(before)?.index ?? 0;
  for (const { 0: value, index } of before.slice(0, comment).matchAll(LITERAL)) {
    if (isUnmistakable(value, `secret_${noun}`)) reportAt(value, start - before.length + index);
  }
}

const RUN_CHAR = /[\w+~=-]/;
const MAX_RUN_CHARS = 4_000;

/** A value may be longer than the part of the text that was searched. */
function wholeRun(text: string, from: number, to: number): readonly [start: number, end: number] {
  let [start, end] = [from, to];
  while (start > 0 && from - start < MAX_RUN_CHARS && /[\w+~]/.test(text.charAt(start - 1))) start--;
  while (end - to < MAX_RUN_CHARS && RUN_CHAR.test(text.charAt(end))) end++;
  return [start, end];
}

function isNear(gap: string, value: string, noun: string): boolean {
  if (!PROSE.test(gap) || JSON_GAP.test(gap) || OTHER.test(gap)) return false;
  if (isUnmistakable(value, noun)) return true;
  if (!isPassword(noun)) return false;
  if (ANNOUNCING.test(gap) && isStrongPassword(value)) return true;
  return (gap.length <= MAX_CHOSEN_DISTANCE && isJoined(value)) || (ANNOUNCED.test(gap) && isStrongPassword(value));
}

/** "the password we use everywhere is x", "the password was rotated, the new one is x" */
const ANNOUNCED =
  /(?:[ \t](?:is|was|now|became|be|remains|stays|to|from|it['’]s|[-–—])[:]?[ \t]|[:][ \t]|[ \t](?:gave|sent|shared|provided|mentioned)(?:[ \t](?:me|us|you|earlier|above))?,?[ \t]\(?|\?["'”]?\s{1,2}(?:\w{1,12}[:>][ \t])?)["'“`*]{0,3}$/i;
/** "x as DB_PASSWORD", "x is my password", "x (the db password)", "x when it asks for the password" */
const ANNOUNCING =
  /^["'`”]?\*{0,2},?[ \t](?:(?:as|for|is|was|it['’]s|that['’]s)[ \t]|\((?=the|my|our)|(?:when|if|where)[ \t][\p{L} ]{1,30}[ \t])(?:(?:the|my|our|your|a)[ \t])?(?:\p{L}{1,12}[ \t]){0,2}$/u;

/** Words and a number joined by a dash or a capital letter, which a person chose: only beside the word. */
const MAX_CHOSEN_DISTANCE = 24;
export const isJoined = (value: string) => /[a-z](?:-[A-Za-z]|[A-Z])/.test(value) && isChosenSecret(value);

const isPassword = (noun: string) => !/key|token|secret|cred|bearer|auth|macaroon|biscuit|wif|pat$/i.test(noun);
const kindOf = (noun: string) => (isPassword(noun) ? 'password' : 'token');

/** Prefixes of identifiers, and the start of a public SSH key. */
const IDENTIFIER = /^(?:toolu|srvtoolu|msg|req|call|chatcmpl|resp|file|org|user|run|thread|item|session)[_-]|^AAAA/;
const MIN_TOKEN_CHARS = 20;

/** A word that many other things have too is not enough for a value that may be a checksum. */
const isNamed = (noun: string) => classifyName(noun.replace(/s$/i, '').replaceAll(' ', '_')) !== null;

export function isUnmistakable(value: string, noun: string): boolean {
  if (isStandIn(value) || IDENTIFIER.test(value)) return false;
  const bare = value.replace(/=+$/, '');
  if (
    /^[\w+/-]+$/.test(bare) &&
    (isPassword(noun) || bare.length >= MIN_TOKEN_CHARS) &&
    isJumble(bare) &&
    !isIdentifier(bare)
  )
    return !isHex(bare) || isNamed(noun);
  return isPassword(noun) && isMarked(value);
}

const MIN_PART_CHARS = 2.6;

/** The parts of a name in code are longer than those of a random text: `resolveAwsSdkSigV4Config`. */
function isIdentifier(value: string): boolean {
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return !isHex(value) && value.length / parts.length > MIN_PART_CHARS;
}

const MAX_PASSWORD_CHARS = 40;

/** Letters, digits and a symbol as in passwords, and neither a reference (`issue#12`, `$HOME1`) nor an expression. */
function isMarked(value: string): boolean {
  const bare = value.replace(/[?.]$/, '');
  return (
    bare.length >= 8 &&
    bare.length <= MAX_PASSWORD_CHARS &&
    /[A-Za-z]{2}/.test(bare) &&
    (/\d.*\d/.test(bare) || /[A-Z].*[a-z]|[a-z].*[A-Z]/.test(bare)) &&
    /\d/.test(bare) &&
    /[!#$%^&*?]|^[A-Z]\w*[a-z]@\d{3,}$/.test(bare) &&
    !/^[A-Za-z-]+#\d+$|&&|\*\*|[a-z]\w*&\w+$|%[sd]|[$]\d|^\d+%/.test(bare)
  );
}

/** "cache key", "primary key": a first word with a meaning of its own. */
export function isOtherKey(name: string): boolean {
  return (
    /^[a-z]{2,}_key$/i.test(name) &&
    !/^(?:the|my|our|your|this|that|a|new|old|bad|wrong|invalid|right)_/i.test(name) &&
    classifyName(name) === null
  );
}

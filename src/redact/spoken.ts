import { type Context, context, type Detect, GUTTER } from './detect.ts';
import { classifyName, isPublicKeyId } from './names.ts';
import { isJoined, isOther, isOtherKey, isSpokenPassword, isStrongPassword, isUnmistakable } from './nearby.ts';
import { isRandomValue } from './values.ts';
import { isJumble, isLowerCaseJumble } from './vendor-format.ts';

const NAME = String.raw`\b(?:pass(?:word(?:nya)?|wd|phrase|code)|pwd)`;
const HINTS = ['assword', 'ASSWORD', 'assphrase', 'asscode', 'asswd', 'pwd'];
const QUOTED = String.raw`(?<=["'\x60“‘])([^\s"'\x60”’]{4,100})(?=["'\x60”’])`;
const VALUE = String.raw`([^\s"'\x60“”‘’,;<>(){}[\]|]{6,100})`;
const OPEN = String.raw`["'\x60“‘]?\*{0,2}`;

/** Calls that type text into a field: Playwright, Puppeteer, Cypress, Selenium, Testing Library, Capybara. */
const TYPE = 'fill|type|sendKeys|send_keys|setValue|set_value|pressSequentially|fill_in|fillIn|fillField';
const NAMED = '(?:pass(?:word|wd|code|phrase)?|secret|token|(?:api|access|secret)[ _-]?key)';
const FIELD = String.raw`[^\n"'\x60]{0,40}${NAMED}[\w\])"'-]{0,20}`;

const ADVERB = 'now|still|currently|actually|just|simply|probably|again|always|temporarily|set to|changed to|reset to';
/** Between the word and its value: "is", "should be", "has been changed to", "'s", an arrow. */
const COPULA = String.raw`(?:['’]s|[ \t](?:(?:I|we|you)[ \t](?:use|need|have|set)[ \t])?(?:is generated for [\w@%.]{1,40}|is|was|will be|would be|should be|must be|needs to be|has to be|could be|may be|has been|should['’]ve been|happens to be|remains|stays|equals|becomes|è|é|est|es|ist|hai|lautet|是)(?:[ \t](?:${ADVERB}|updated to)){0,2}|[ \t](?:set to|changed to|reset to|generated)|[ \t]{0,2}(?:->|→|=>|—))[ \t]{0,2}:?[ \t]{1,3}`;
const ASK = String.raw`,?[ \t](?:then[ \t])?(?:enter|type|use|try|input)[ \t]{1,3}`;
const OF = String.raw`(?:[ \t](?:for|of|to|on|in)[ \t](?:'[^'\n]{1,80}'|[^\n:;"'\x60|{}()=,]{1,40}))?`;

/** Passwords in sentences, and typed into a form by a test. */
export const SPOKEN: readonly Context[] = [
  context(
    'password',
    [...HINTS, 'pass '],
    new RegExp(String.raw`((?:${NAME}|\bpass)[ \t]{1,3}["'\x60“‘])${QUOTED}`, 'gi'),
    isSpokenPassword,
  ),
  // "the password for the staging server: x", "the passphrase of this key is x"
  context(
    'password',
    HINTS,
    new RegExp(
      String.raw`(${NAME}[ \t](?:for|of|to)[ \t](?:key[ \t]'[^'\n]{1,80}'|[^\n:;"'\x60|{}()=]{1,40})(?::|[ \t]is)[ \t]{1,3}["'\x60]?)([^\s"'\x60,;<>(){}[\]]{6,100})`,
      'gi',
    ),
    isSpokenPassword,
  ),
  // "the password should be x", "password, enter x", "Password (temporary): x", "the password (x)"
  context(
    'password',
    [...HINTS, 'pw', 'PW'],
    new RegExp(
      String.raw`(\b(?:pass(?:word|wd|phrase|code)|pwd|pw)(?:${OF}(?:${COPULA}|${ASK})|[ \t]\([^\n()]{1,30}\):[ \t]{1,3}|[ \t]\()${OPEN})${VALUE}`,
      'gi',
    ),
    isSpokenPassword,
  ),
  // "with password x", "username ada, password x"
  context(
    'password',
    [...HINTS, 'redential '],
    new RegExp(String.raw`((?:${NAME}|\bcredential)[ \t]{1,3}\*{0,2})${VALUE}(?=[\s"'\x60,;)*]|$)`, 'gi'),
    isStrongPassword,
  ),
  // "change the password from x to y": `detectNearby` finds the first one.
  context(
    'password',
    HINTS,
    new RegExp(String.raw`(${NAME}[ \t]from[ \t]\S{1,60}[ \t]to[ \t]${OPEN})${VALUE}`, 'gi'),
    isStrongPassword,
  ),
  // "the archive is protected with x", "the wifi code is x"
  context(
    'password',
    ['protected ', 'crypt', 'locked ', 'nlock ', 'ifi ', 'i-Fi ', 'hotspot '],
    new RegExp(
      String.raw`(\b(?:(?:protected|(?:en|de)crypt(?:ed)?|(?:un)?locked|unlock(?:[ \t]it)?)[ \t](?:with|by|using)|(?:wi-?fi|hotspot)[ \t](?:code|key|pass\w{0,6})(?:${COPULA}|:))[ \t]{0,3}${OPEN})${VALUE}`,
      'gi',
    ),
    (value) => isStrongPassword(value) && !/^(?:aes|rsa|ssl|tls|x?chacha|curve|ed|sha)[-\d]/i.test(value),
  ),
  // "the password, x, is", "your password. It's now x"
  context(
    'password',
    HINTS,
    new RegExp(String.raw`(${NAME}(?:,[ \t]|—|\.[ \t](?:It['’]s|It is)(?:[ \t]now)?[ \t])${OPEN})${VALUE}`, 'gi'),
    isStrongPassword,
  ),
  // The word on a line of its own, and the password below it.
  context(
    'password',
    HINTS,
    new RegExp(
      String.raw`((?<=(?:^|\n)${GUTTER})${NAME}[ \t]{0,8}\r?\n(?:[-=─]{3,80}\r?\n)?${GUTTER})${VALUE}(?=[ \t]{0,8}(?:\r?\n|$))`,
      'gi',
    ),
    isStrongPassword,
  ),
  // "use x as the password", "try x for the root password"
  context(
    'password',
    HINTS,
    new RegExp(
      String.raw`(\b(?:use|try|enter|type|using|set|with|put|choose|pick)[ \t]{1,3}${OPEN})${VALUE}(?=["'\x60”’]?[ \t](?:as|for)[ \t](?:[a-z]{1,12}[ \t]){0,3}pass(?:word|wd|phrase|code)\b)`,
      'gi',
    ),
    isSpokenPassword,
  ),
  // "here is the password for production:" and the password on the next line
  context(
    'password',
    HINTS,
    new RegExp(
      String.raw`(${NAME}[^\n:=]{0,40}:[ \t]{0,4}\r?\n(?:[ \t]{0,8}\r?\n)?(?:${GUTTER}\x60{3}\w{0,10}\r?\n)?${GUTTER})${VALUE}(?=[ \t]{0,8}(?:\r?\n|$))`,
      'gi',
    ),
    isStrongPassword,
  ),
  // "log in with admin / x", "login: ada@example.com / x"
  context(
    'password',
    ['og in', 'ogin', 'ign in', 'redential', 'ccount', 'creds', 'Creds', 'ssh', 'rdp', 'vpn', 'VPN'],
    /(\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|credentials?|creds|account|ssh)\b(?!-)[^\n|]{0,40}?(?<![\w/.-])["'`]?(?:admin(?:istrator)?|root|user|test|demo|guest|postgres|sa|[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,20})["'`]?[ \t]{0,2}\/[ \t]{0,2}["'`]?)([^\s"'`,;<>(){}[\]/]{6,100})/gi,
    isSpokenPassword,
  ),
  // "sign in with ada and x", "default credentials ada:x", "rdp 10.0.0.1 ada x"
  context(
    'password',
    ['og in', 'ogin', 'ign in', 'redential', 'creds', 'Creds', 'ssh', 'rdp', 'vpn', 'VPN', 'ftp'],
    /(\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|credentials?|creds|ssh|rdp|vpn|s?ftp)\b(?!-)[ \w.,'’()-]{0,40}?(?<![\w/.-])["'`]?[\w.+-]{2,40}(?:@[\w.-]{3,40})?["'`]?(?:[ ]?[:/→][ ]?|[ ](?:and|with|pass|pw)[ ])["'`]?)([^\s"'`,;<>(){}[\]/]{8,100})/gi,
    (value) =>
      isStrongPassword(value) &&
      /[!#$%^&*?]|[a-z][A-Z]|[a-z]\d[a-z]|[a-z]-[A-Za-z]+-\d/.test(value) &&
      !/[:=.]/.test(value),
  ),
  // "admin / x": names that systems give to their first user
  context(
    'password',
    ['admin', 'Admin', 'root', 'guest', 'ubuntu', 'postgres'],
    /((?:^|[\s"'`(])(?:admin(?:istrator)?|root|guest|ubuntu|postgres)[ ]?[/:][ ]?["'`]?)([^\s"'`,;<>(){}[\]/:]{8,60})(?=["'`)\s.,]|$)/gim,
    (value) => isUnmistakable(value, 'password') || (isStrongPassword(value) && isJoined(value)),
  ),
  // "user ada, pw x"
  context(
    'password',
    [' pw ', ' pw:', ' pass ', ' pwd ', ' PW ', ' p:'],
    /(\b(?:user(?:name)?|login|u)[ :=]{1,2}["'`]?[\w.@+-]{1,60}["'`]?[,;/]?[ ]{1,2}(?:pass|pw|pwd|p(?=:))[ :=]{1,3}["'`]?)([^\s"'`,;<>(){}[\]]{6,100})/gi,
    isSpokenPassword,
  ),
  // "smtp: ada@example.com / x", "connect as root/x"
  context(
    'password',
    [' / ', 'root', 'admin'],
    /((?:[\w.+-]{1,40}@[\w-]{1,40}\.[\w.-]{2,20}[ ]\/[ ]|\b(?:connect(?:ed)?|use|fyi|as|with)[ ](?:as[ ]|with[ ])?(?:root|admin)[/:])["'`]?)([^\s"'`,;<>(){}[\]/:]{8,60})(?=["'`)\s.,]|$)/gi,
    isStrongPassword,
  ),
  // "credentials are ada / x", "user/pass: ada/x"
  context(
    'password',
    ['redentials', 'creds', 'Creds', 'ogin is ', 'ogin: ', 'ser/pass', 'sername/password', 'ogin/password'],
    /(\b(?:credentials|creds|login|user(?:name)?\/pass(?:word)?|login\/password)(?: (?:are|is|for)|:)[ \t]{1,3}["'`]?[\w.@+-]{1,40}["'`]?[ \t]{0,2}[/:][ \t]{0,2}["'`]?)([^\s"'`,;<>(){}[\]/]{6,100})/gi,
    isStrongPassword,
  ),
  context(
    'password',
    ['fill', 'type(', 'end_keys(', 'endKeys(', 'et_value(', 'etValue(', 'pressSeq'],
    new RegExp(
      String.raw`(\b(?:${TYPE})(?:\(|[ \t])["'\x60]?${FIELD}["'\x60]?,[ \t]{0,3}(?:with:[ \t]?)?["'\x60])${QUOTED}`,
      'gi',
    ),
    isSpokenPassword,
  ),
  // `user.type(getByLabelText(/password/i), 'x')`, `change(passwordInput, { target: { value: 'x' } })`
  context(
    'password',
    ['type(', 'change(', 'fill(', 'end_keys(', 'endKeys('],
    new RegExp(
      String.raw`(\b(?:${TYPE}|change)\([^\n"'\x60]{0,60}pass(?:word|code|phrase)[^\n"'\x60]{0,60}["'\x60])${QUOTED}`,
      'gi',
    ),
    isSpokenPassword,
  ),
  context(
    'password',
    ['typeText(', 'replaceText('],
    /(pass(?:word|code)\w{0,20}\){1,3}\.perform\((?:type|replace)Text\(["'])([^\s"'\x60]{4,100})(?=["'])/gi,
    isSpokenPassword,
  ),
  context(
    'password',
    ['fill(', 'type(', 'end_keys(', 'endKeys(', 'etValue(', 'pressSeq'],
    new RegExp(
      String.raw`(["'\x60](?:[^\n"'\x60]{0,40}[#.=[( _-])?${NAMED}[\w\]-]{0,20}["'\x60]\]?["'\x60]?[ \t]{0,2}\){1,2}(?:\.\w{1,20}\(\)){0,2}\s{0,40}\.(?:${TYPE})\([ \t]{0,2}["'\x60])${QUOTED}`,
      'gi',
    ),
    isSpokenPassword,
  ),
];

const TOKEN = String.raw`([A-Za-z0-9+/][\w+/.~-]{14,300}={0,2})(?![\w+/=])`;
/** "my API key is x", "here is the token: x", "token x has expired", "Incorrect API key provided: x". */
const TOKEN_AFTER = new RegExp(
  String.raw`\b(key|token|secret|PAT)(?:${OF}(?:${COPULA})|(?:${OF}|[ \t](?:generated|created|provided|has been created|issued))[ \t]{0,2}[:=][ \t]{0,3}(?:\r?\n(?:[ \t]{0,8}\r?\n)?(?:\x60{3}\w{0,10}\r?\n)?${GUTTER})?|[ \t]\(?|${ASK})${OPEN}${TOKEN}`,
  'gi',
);
/** "New API key created. Copy it now:" or "API key", and the key alone on the next line. */
const TOKEN_BELOW = new RegExp(
  String.raw`\b(key|token|secret|PAT|bearer)(?:\b([^\n]{0,80}:))?[ \t]{0,8}\r?\n(?:${GUTTER}(?:[-=─]{3,80})?[ \t]{0,8}\r?\n)?(?:\x60{3}\w{0,10}\r?\n)?${GUTTER}["'\x60]?${TOKEN}(?=["'\x60]?[ \t]{0,8}(?:\r?\n|$))`,
  'gi',
);
/** Without a colon, the line has no other words. */
const HEADING = new RegExp(String.raw`^${GUTTER}(?:[A-Za-z]{1,14} ){0,3}$`);
/** "use x as the API key", "x is my token", "add x as OPENAI_API_KEY": the text after the token. */
const TOKEN_BEFORE =
  /["'`”’]?[ \t](?:as|for|is|was)[ \t](?:(?:the|my|our|your|a|an)[ \t])?((?:[A-Za-z]{1,14}[ -]){0,2}(?:key|token|secret|PAT)|[A-Z][A-Z0-9]{0,20}_[A-Z0-9_]{2,40})\b/g;
const LAST_TOKEN = /(?<![\w+/=.-])[A-Za-z0-9+/][\w+/.~-]{14,300}={0,2}$/;
/** "replace YOUR_API_KEY with x" */
const REPLACED =
  /\b(?:replace|set|change|swap|put)\b[^\n]{0,20}?\b([A-Z][A-Z0-9]{0,20}_[A-Z0-9_]{2,40})[ \t](?:with|to|by)[ \t]{1,3}["'`]?([\w+/.~-]{15,300}={0,2})/g;
const LIKELY = /key|token|secret|bearer|\bPAT\b/i;
const MAX_TOKEN_CHARS = 310;
const MAX_LINE_CHARS = 80;
const WORDS_BEFORE = /(?:[A-Za-z]{1,14}[ -]){0,2}$/;

/** Finds keys and tokens that a sentence names. */
export const detectSpokenTokens: Detect = (text, report) => {
  if (!LIKELY.test(text)) return;
  const check = (noun: string, value: string, start: number) => {
    const token = value.replace(/[.~-]+$/, '');
    if (isSpokenToken(noun, token)) report('token', start, start + token.length);
  };
  for (const { 0: all, 1: noun = '', 2: value = '', index } of text.matchAll(TOKEN_AFTER)) {
    if (text.startsWith('did:', index - 4)) continue;
    const before = WORDS_BEFORE.exec(text.slice(Math.max(0, index - 32), index))?.[0] ?? '';
    // `Token x` alone is the scheme of a header.
    if (before !== '' || !/^[A-Za-z]+ $/.test(all.slice(0, -value.length))) {
      check(before + noun, value, index + all.length - value.length);
    }
  }
  for (const { 0: all, 1: noun = '', 2: line, 3: value = '', index } of text.matchAll(TOKEN_BELOW)) {
    const before = /[^\n]*$/.exec(text.slice(Math.max(0, index - MAX_LINE_CHARS), index))?.[0] ?? '';
    if (isOther(before + (line ?? '')) || (line === undefined && !HEADING.test(before))) continue;
    check((WORDS_BEFORE.exec(before)?.[0] ?? '') + noun, value, index + all.length - value.length);
  }
  for (const { 1: noun = '', index } of text.matchAll(TOKEN_BEFORE)) {
    const token = LAST_TOKEN.exec(text.slice(Math.max(0, index - MAX_TOKEN_CHARS), index))?.[0] ?? '';
    check(noun, token, index - token.length);
  }
  for (const { 0: all, 1: noun = '', 2: value = '', index } of text.matchAll(REPLACED)) {
    check(noun.replace(/^YOUR_/, ''), value, index + all.length - value.length);
  }
};

function isSpokenToken(noun: string, token: string): boolean {
  if (!isRandomValue(token, 'bare') || !/\d/.test(token) || !/[A-Za-z]/.test(token)) return false;
  const name = noun.split(/[ -]/).slice(-2).join('_');
  if (isPublicKeyId(name, token)) return false;
  const nameClass = classifyName(name) ?? classifyName(noun.split(/[ -]/).at(-1) ?? '');
  if (!/key$/i.test(name)) return nameClass !== null;
  // "the key x": many things have a key, so it must not look like a checksum.
  return (
    nameClass === 'key' ||
    (!/^[0-9a-f-]+$/i.test(token) && (isJumble(token) || isLowerCaseJumble(token.toLowerCase())) && !isOtherKey(name))
  );
}

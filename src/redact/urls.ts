import { isUuid } from '../lib/ids.ts';
import type { Detect } from './detect.ts';
import { isStrongPassword } from './nearby.ts';
import { isHex, isRandomValue, isStandIn } from './values.ts';
import { isJumble } from './vendor-format.ts';

const MAX_SCHEME_CHARS = 20;
const SCHEME = /(?<![a-z0-9])[a-z][a-z0-9+.-]{1,19}$/i;
const USER_PASSWORD = /([^\s:@/"'`<>[\](){}]{0,100}:)([^\s/"'`<>[\]\\]{1,200})(?=@[^\s@])/y;
/** A password with an unescaped slash, which some servers accept. */
const LOOSE_PASSWORD =
  /([^\s:@/"'`<>[\](){}]{1,100}:)([^\s"'`<>[\]\\]{1,100})(?=@[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}(?::\d{2,5})?(?:[/?\s"'`]|$))/y;
/** GitHub takes a token as the user. */
const TOKEN_AS_USER = /()([\w.~%+-]{16,200})(?=:(?:x-oauth-basic|x|)@)/y;
const TOKEN_USER = /()([\w.~%+-]{16,200})(?=@[\w.-]{1,100})/y;
export const isUrlPassword = (value: string) =>
  value.length > 2 && !isStandIn(value) && !/^(?:p|pw|secret|s3cret|\d{1,5})$/i.test(value);

/** Finds `scheme://user:password@host` and `scheme://token@host`. */
export const detectUrlPasswords: Detect = (text, report) => {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    if (!SCHEME.test(text.slice(Math.max(0, at - MAX_SCHEME_CHARS - 1), at))) continue;
    const tryPattern = (pattern: RegExp, isSecret: (value: string) => boolean) => {
      pattern.lastIndex = at + 3;
      const [, before = '', value = ''] = pattern.exec(text) ?? [];
      const start = at + 3 + before.length;
      if (value === '' || !isSecret(value)) return false;
      report('url-password', start, start + value.length);
      return true;
    };
    const isFound =
      tryPattern(TOKEN_AS_USER, (value) => isRandomValue(value, 'literal')) ||
      tryPattern(USER_PASSWORD, isUrlPassword) ||
      tryPattern(TOKEN_USER, (value) => isRandomValue(value, 'quoted'));
    if (!isFound)
      tryPattern(
        LOOSE_PASSWORD,
        (value) => /[A-Za-z]/.test(value) && !/^\d{1,5}\//.test(value) && isUrlPassword(value),
      );
  }
};

const URL_CHARS = /[^\s"'`<>\\|]{1,800}/y;
/** Addresses that work without a login: webhooks, deploy hooks, blockchain nodes, pings. */
const HOOK =
  /(?:^|[./_-])(?:web|build|in)?-?hooks?(?:b2)?(?=[./_\d-]|$)|\/deploy\/|\/integration\/|\/trigger\/|^hc-ping\.com|^webhook\.site|(?:infura|alchemy|quiknode|ankr|chainstack|getblock|blastapi|nodereal)\.\w{2,4}|\/(?:t|key|token)\//;
/** Links that log in, reset a password or confirm an address. */
const ONE_TIME = /[/.](?:reset|verify|confirm|activate|magic|invit|unsubscribe|password)/i;
const PARAMETER = /[?&;](?!state=)[\w.-]{1,40}=([\w.~+/-]{8,2000}={0,2})(?=[&#;]|$)/g;

/** Finds secrets in addresses without a name: the path of a webhook, the parameters of a link in a mail. */
export const detectUrlSecrets: Detect = (text, report) => {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const from = at + 3;
    URL_CHARS.lastIndex = from;
    const url = URL_CHARS.exec(text)?.[0] ?? '';
    const query = url.search(/[?#]/);
    const path = query < 0 ? url : url.slice(0, query);
    const hook = HOOK.exec(path);
    if (hook !== null) {
      for (const { 0: segment, index } of path.matchAll(/(?<=\/)[\w@.-]{10,200}/g)) {
        if (index > hook.index && isPathToken(segment))
          report('secret-url', from + index, from + index + segment.length);
      }
    }
    if (query < 0 || !(hook !== null || ONE_TIME.test(path))) continue;
    for (const { 0: all, 1: value = '', index } of url.slice(query).matchAll(PARAMETER)) {
      const end = from + query + index + all.length;
      if (hook !== null ? value.length >= 10 && isRandomValue(value, 'literal') : isPathToken(value))
        report('secret-url', end - value.length, end);
    }
  }
};

const MIN_PATH_TOKEN_CHARS = 20;

function isPathToken(segment: string): boolean {
  const value = segment.replace(/@.*$/, '');
  if (isUuid(value) || isJumble(value)) return true;
  if (value.length < MIN_PATH_TOKEN_CHARS || !/\d/.test(value)) return false;
  return isHex(value) || (/^[a-z0-9]+$/.test(value) && /\d.*[a-z].*\d/.test(value));
}

const HOST =
  /@(?!(?:sha\d{3}|npm|latest|next)\b)(?:\d{1,3}(?:\.\d{1,3}){3}|\/\/[\w.-]{2,80}|[\w-]{1,60}(?:\.[\w-]{1,60}){0,5})(?![\w@])/y;
const USER_BEFORE = /(?:^|[\s"'`(=:])([\w.$-]{1,40}[:/])([^\s"'`@:/]{8,100})$/;

/** Finds `ada:password@host` without a scheme. Names of packages and images have the same form, but no such password. */
export const detectHostPasswords: Detect = (text, report) => {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (!/[\w!#$%^&*?]/.test(text.charAt(at - 1))) continue;
    HOST.lastIndex = at;
    if (!HOST.test(text)) continue;
    const [, user = '', value = ''] = USER_BEFORE.exec(text.slice(Math.max(0, at - 160), at)) ?? [];
    if (value === '' || /^(?:npm|file|link|workspace|patch|https?|git|mailto|docker|image|pkg|[A-Z]+)[:/]/.test(user))
      continue;
    const isMixed =
      /[!#$%^&*?]/.test(value) ||
      (/[a-z]/.test(value) && /[A-Z]/.test(value) && !isVersion(value)) ||
      /^[a-z]+(?:-[a-z]+)+-\d{2,4}$/.test(value);
    if (isMixed && isStrongPassword(value)) report('password', at - value.length, at);
  }
};

const isVersion = (value: string) => /\d\.\d/.test(value);

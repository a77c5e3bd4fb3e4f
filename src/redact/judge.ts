import { classifyName, type NameClass } from './names.ts';
import { type Form, isHex, isPasswordValue, isRandomValue, isSecretValue, isUuid } from './values.ts';

/** `--- PASS: TestThing` is a test result, and `PWD` is a working directory. */
function isNoName(name: string, text: string, form: Form): boolean {
  if (form !== 'literal' && /^(?:PASS|pass)$/.test(name)) return /^[A-Z]|\//.test(text);
  // `allPass: 'everyOne'` names a function.
  if (form === 'quoted' && /[a-z]Pass$/.test(name)) return /^[A-Za-z]+$/.test(text);
  return /pwd$/i.test(name) && /^(?:[\\/~]|[A-Za-z]:)/.test(text);
}

/** The kind of secret a value is, given its name; null when it is none. */
export function secretKind(name: string, text: string, form: Form): string | null {
  const nameClass = classifyName(name);
  if (nameClass === null || !isSecret(nameClass, text, form) || isNoName(name, text, form)) return null;
  return kindOf(nameClass);
}

function kindOf(nameClass: NameClass): string {
  if (nameClass === 'password') return 'password';
  return nameClass === 'token' || nameClass === 'auth' ? 'token' : 'assigned-secret';
}

const SCHEME = /^(?:Bearer|Basic|Token|Api-?Key|Bot|Digest|GenieKey|SSWS|OAuth|JWT|Key)\s{1,4}/i;
const MIN_WEAK_KEY_CHARS = 16;
const MIN_AUTH_CHARS = 12;

/** Decides whether a value with a name of this class is a secret. */
function isSecret(nameClass: NameClass, value: string, form: Form): boolean {
  if (/\$\{|\{\{|<%|#\{/.test(value)) return false;
  if (/\s/.test(value) && !['password', 'secret', 'auth'].includes(nameClass)) return false;
  switch (nameClass) {
    case 'password':
      return isPasswordValue(value, form);
    case 'secret':
      return isSecretValue(value, form);
    case 'token':
    case 'key':
      return isRandomValue(value, form);
    case 'weak-key':
      if (value.length < MIN_WEAK_KEY_CHARS || isUuid(value) || (form !== 'literal' && isHex(value))) return false;
      return isRandomValue(value, form);
    case 'auth':
      return isCredential(value.replace(SCHEME, ''), form);
    default:
      return false;
  }
}

function isCredential(value: string, form: Form): boolean {
  if (/\s/.test(value)) return false;
  return (value.length >= MIN_AUTH_CHARS && isRandomValue(value, form)) || isEncodedPair(value);
}

/** Base64 of `user:password`. */
export function isEncodedPair(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{8,1000}={0,2}$/.test(value)) return false;
  return /^[\x21-\x7e]{1,200}:[\x20-\x7e]{1,500}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

import { isUuid } from '../lib/ids.ts';
import { type Form, isChosenSecret, isHex, isPasswordValue, isRandomValue, isSecretValue } from './values.ts';

/** What a name implies about its value. */
type NameClass = 'password' | 'secret' | 'token' | 'key' | 'weak-key' | 'auth';

/** Every name of a secret contains one of these; `classifyName` decides on the whole name. */
export const NAME_STEMS: readonly string[] = [
  ...words(`
  pass pwd pw psk secret token key cred auth jwt bearer cookie mnemonic pat sas api sdk licen admin access salt seed pepper verifier`),
];

/** Trailing words that distinguish several values of the same kind. */
const SUFFIXES = words(`
  prod production dev development staging stage test testing live sandbox local default value val plain text
  plaintext cleartext clear raw string str b64 base64 hex utf8 old new current previous next primary secondary main backup
  base master ro rw readonly header env var a b c x eu us
  confirmation confirm repeat again data basic post`);

const PASSWORDS = words(`
  password passwd passphrase passcode pass pwd pw psk userpass passwort kennwort passe mdp contrasena contrasenya senha
  wachtwoord losenord passord haslo heslo parola sifre salasana jelszo lozinka`);
const PASSWORD_ENDS =
  /(?:password|passwd|passphrase|passcode|pwd|pass|(?:root|bind|admin|user|db|my|smtp|ftp|ldap|sudo|master|default)pw)$/;
const NO_PASSWORDS = words('bypass compass surpass encompass trespass overpass underpass multipass subpass pgpass');
const SECRETS = words('secret secrets credential credentials cred creds mnemonic');
const TOKENS = words('token jwt bearer pat cookie sas sharedaccesssignature');
/** Tokens used for paging, parsing or cancelling, which are not secret. */
const NO_TOKENS = words(`
  next page pagination continuation continue cancel cancellation cancelation stop eos bos pad unk sep cls mask start end
  last first skip sync resume max min num count color design theme text lexer parser syntax cancelable abort change
  special word sub peek current previous type`);
const KEY_ENDS = /^(?:api|access|secret|private|auth|encryption|signing|account|sharedaccess|master|license|app)keys?$/;
/** Words before `key` that make it a secret. */
const KEY_QUALIFIERS = words(`
  api access private secret encryption encrypt signing sign auth authorization master license licence account
  subscription deploy service admin shared root ssh hmac aes webhook integration sas unseal recovery vault
  ingest server management sdk role validation decryption decrypt cipher consumer presigned preshared
  activation fernet otp hotp totp registration setup jwt routing wallet`);
const VENDORS = words(`
  adafruit algolia asana atlassian bitbucket cloudflare codecov cohere coinbase confluent
  contentful datadog dd discord dropbox fastly hubspot intercom jfrog launchdarkly mailchimp mailgun mapbox netlify okta
  plaid snyk sonar supabase sumo travis twitch twitter vercel yandex zendesk openai anthropic stripe sendgrid github
  gitlab aws gcp azure heroku slack twilio sentry relic rollbar bugsnag pagerduty opsgenie sparkpost mandrill postmark
  resend brevo sendinblue mailjet mailersend pusher ably pubnub agora typesense meilisearch honeycomb honeybadger
  papertrail splunk grafana dynatrace amplitude mixpanel posthog statsig flagsmith optimizely sanity storyblok prismic
  shopify paypal braintree adyen razorpay paystack binance infura alchemy etherscan openweather openweathermap tomtom
  maxmind virustotal shodan censys clearbit pipedrive salesforce freshdesk trello clickup notion airtable jira figma zoom
  vonage nexmo plivo telnyx messagebird telegram circleci buildkite semgrep artifactory cloudsmith linode vultr hetzner
  scaleway digitalocean backblaze wasabi bunnycdn cloudinary deepgram assemblyai elevenlabs mistral groq huggingface
  perplexity deepseek openrouter pinecone langsmith tavily serper serpapi exa firecrawl apify browserstack lambdatest
  saucelabs sauce doppler auth0 workos onelogin planetscale upstash railway tailscale onesignal braze klaviyo typeform
  calendly docusign gocardless polymarket spacelift workflowy`);
/** `AZURE_STORAGE_KEY` opens an account; the `STORAGE_KEY` of a web page names an entry. */
const VENDOR_KEYS = words('storage config function');
/** Words before `key` that mean it is not a secret. */
const NO_KEYS = words(`
  public pub cache primary foreign sort partition idempotency object group dedupe dedup map lookup index unique
  composite row range translation message event route react state i18n label locale sort item node option field column
  parent child entry attribute property prop hash bucket registry json dict arrow down up press hot short shortcut meta
  shift ctrl control alt escape enter return tab modifier function fn last next prev current first sub i18n title name
  type kind session-storage local-storage storage config setting settings feature flag metric trace span context global
  symbol weak no any this other same the a my each every websocket socket gpg pgp usage`);
const AUTHS = words('auth authorization');
/** Last words of `VENDOR_SOMETHING` names whose value is a secret of that vendor. */
const VENDOR_ENDS = words('api sdk license licence admin access');

/** Cache: the same few names occur again and again. */
const known = new Map<string, NameClass | null>();
const MAX_KNOWN = 4_096;

/** Classifies a name; null when it has nothing to do with secrets. Names are split at punctuation and at capitals. */
export function classifyName(name: string): NameClass | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const found = classify(name);
  known.set(name, found);
  return found;
}

function classify(name: string): NameClass | null {
  const parts = splitWords(name);
  while (parts.length > 1 && isSuffix(parts.at(-1) ?? '')) parts.pop();
  // `SECRET1`
  const last = (parts.at(-1) ?? '').replace(/(?<!^.?|auth)\d{1,3}$/, '');
  const before = parts.at(-2) ?? '';
  if (PASSWORDS.has(last) || isSplitPassword(before, last)) return 'password';
  if (PASSWORD_ENDS.test(last)) return NO_PASSWORDS.has(last) ? null : 'password';
  if (SECRETS.has(last) || last.endsWith('secret')) return 'secret';
  if (TOKENS.has(last) || last.endsWith('token'))
    return NO_TOKENS.has(before) || /^(?:next|page|skip)token$/.test(last) ? null : 'token';
  if (last === 'verifier') return before === 'code' ? 'token' : null;
  if (AUTHS.has(last)) return 'auth';
  if (KEY_ENDS.test(last)) return 'key';
  if (last === 'key') return classifyKey(name, before, parts);
  if (last === 'pepper') return 'key';
  if (last === 'seed') return /^(?:t?otp|mfa|wallet|recovery)$/.test(before) ? 'secret' : null;
  if (last === 'salt') return parts.length > 1 ? 'weak-key' : null;
  return VENDOR_ENDS.has(last) && VENDORS.has(parts[0] ?? '') && parts.length > 1 ? 'weak-key' : null;
}

function classifyKey(name: string, before: string, parts: readonly string[]): NameClass | null {
  const isVendor = parts.some((part) => VENDORS.has(part));
  if (NO_KEYS.has(before) && !(isVendor && VENDOR_KEYS.has(before))) return null;
  if (KEY_QUALIFIERS.has(before) || isVendor || parts.includes('secret')) return 'key';
  return parts.length > 1 && !name.endsWith('.key') ? 'weak-key' : null;
}

/** `pass_phrase`, `pre-shared-key`. */
function isSplitPassword(before: string, last: string): boolean {
  return before === 'pass' ? /^(?:phrase|word|wd|code)$/.test(last) : before === 'shared' && last === 'key';
}

function isSuffix(word: string): boolean {
  return SUFFIXES.has(word) || /^v?\d{1,4}$/.test(word);
}

function splitWords(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** `--- PASS: TestThing` is a test result, and `PWD` is a working directory. */
function isNoName(name: string, text: string, form: Form): boolean {
  if (form !== 'literal' && /^(?:PASS|pass)$/.test(name))
    return /\/|[^\x20-\x7e]/.test(text) || (name === 'PASS' ? /^[A-Z]/ : /^[A-Z][A-Za-z]*$/).test(text);
  // `allPass: 'everyOne'` names a function.
  if (form === 'quoted' && /[a-z]Pass$/.test(name)) return /^[A-Za-z]+$/.test(text);
  if (isPublicKeyId(name, text)) return true;
  return /pwd$/i.test(name) && /^(?:[\\/~]|[A-Za-z]:)/.test(text);
}

/** Git and gpg take the id of a public key: `signingKey = 004F8CF9AE53ACD1`. */
export function isPublicKeyId(name: string, text: string): boolean {
  return /sign(?:ing)?.?key$/i.test(name) && /^(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})$/.test(text);
}

/** The kind of secret a value is, given its name; null when it is none. */
export function secretKind(name: string, text: string, form: Form): string | null {
  const nameClass = classifyName(name);
  if (nameClass === 'weak-key' && isConstant(name) && isLongNumber(text, form)) return kindOf(nameClass);
  if (nameClass === null || !isSecret(nameClass, text, form) || isNoName(name, text, form)) return null;
  return kindOf(nameClass);
}

/** `STORE_KEY = "0123…"`: of the keys in constants that are long numbers, few are checksums. */
const isConstant = (name: string) => /^[A-Z][A-Z0-9_]*_KEY$/.test(name);
const isLongNumber = (text: string, form: Form) =>
  form !== 'bare' && (isUuid(text) || (text.length >= 32 && isHex(text) && isRandomValue(text, form)));

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
      return isRandomValue(value, form) || (form !== 'bare' && isChosenToken(value)) || isMarked(value);
    case 'key':
      return isRandomValue(value, form) || (form !== 'bare' && isChosenSecret(value)) || isMarked(value);
    case 'weak-key':
      if (value.length < MIN_WEAK_KEY_CHARS || isUuid(value) || (form !== 'literal' && isHex(value))) return false;
      return isRandomValue(value, form);
    case 'auth':
      return isCredential(value.replace(SCHEME, ''), form);
    default:
      return false;
  }
}

/** A mark at the end shows that a bare value is no name in code. */
const isMarked = (value: string) => isChosenSecret(value) && /\d[!#$%&*?]$/.test(value);
/** Lower case and a number alone would also be a sample: `abc123`. */
const isChosenToken = (value: string) => isChosenSecret(value) && /.[A-Z]|[!?#$%&*_]/.test(value);

function isCredential(value: string, form: Form): boolean {
  if (/\s/.test(value)) return false;
  const isLong = value.length >= MIN_AUTH_CHARS || form === 'literal';
  return (isLong && (isRandomValue(value, form) || isChosenToken(value))) || isEncodedPair(value);
}

/** Base64 of `user:password`. */
export function isEncodedPair(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{8,1000}={0,2}$/.test(value)) return false;
  return /^[\x21-\x7e]{1,200}:[\x20-\x7e]{1,500}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

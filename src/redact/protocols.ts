import { type Context, context, type Detect } from './detect.ts';
import { isEncodedPair } from './names.ts';
import { isUrlPassword } from './urls.ts';
import { isPasswordValue, isRandomValue } from './values.ts';
import { isVaried } from './vendor-format.ts';

const isToken = (value: string) => isRandomValue(value, 'literal');

/** Secrets in headers, connection strings and webhook URLs. */
export const PROTOCOLS: readonly Context[] = [
  context(
    'aws-secret-key',
    ['AKIA', 'ASIA'],
    /(A[KS]IA[A-Z0-9]{16}["']?[ \t]{0,4}[,;:|\t ][ \t]{0,4}(?:\d{4}-[\dT:.Z+-]{6,30}[ \t]{1,4})?["']?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g,
  ),
  context('password', 'jdbc:oracle:', /(\bjdbc:oracle:\w{1,10}:[\w.$-]{1,60}\/)([^\s"'@/]{3,200})(?=@)/g),

  context(
    'bearer-token',
    ['earer ', 'EARER '],
    /(\bbearer {1,3})([\w.~+/=-]{16,4000})/gi,
    (value) => /\d/.test(value) && isToken(value),
  ),
  context(
    'basic-credentials',
    ['asic ', 'ASIC '],
    /(\bbasic {1,3})([A-Za-z0-9+/_-]{8,1000}={0,2})/gi,
    (value) => isEncodedPair(value) || (/[\d=]/.test(value) && value.length >= 12 && isToken(value)),
  ),
  context(
    'azure-storage-key',
    ['AccountKey=', 'SharedAccessKey='],
    /((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/=]{20,200})/g,
  ),
  context('azure-sas-signature', 'sig=', /([?&;]sig=)([A-Za-z0-9%/+=._~-]{20,300})/g),
  context('aws-signature', 'X-Amz-', /(X-Amz-(?:Signature|Security-Token|Credential)=)([A-Za-z0-9%/+=._~-]{20,2000})/g),
  context(
    'azure-sas-signature',
    'SharedAccessSignature',
    /(SharedAccessSignature[= ]["']?)((?:sr|sv|sig|se|st|sp)=[\w%&=.:/+~-]{20,800})/g,
  ),
  context(
    'slack-webhook',
    'hooks.slack.com',
    /(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)([\w/-]{20,160})/g,
    isVaried,
  ),
  context(
    'discord-webhook',
    '/api/webhooks/',
    /(\bdiscord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)(\d{10,25}\/[\w-]{40,100})/g,
  ),
  context('teams-webhook', '.webhook.office.com', /(\.webhook\.office\.com\/)(webhookb2\/[\w@./-]{30,300})/g),
  context(
    'chat-webhook',
    ['/bot/v2/hook/', 'qyapi.weixin.qq.com', 'maker.ifttt.com', 'hooks.chime.aws'],
    /((?:\/open-apis\/bot\/v2\/hook\/|\/cgi-bin\/webhook\/send\?key=|maker\.ifttt\.com\/[\w/]{1,80}\/key\/|hooks\.chime\.aws\/))([\w?=&-]{16,200})/g,
  ),
  context('laravel-key', 'base64:', /(\bbase64:)([A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])/g),
  context('zapier-webhook', 'hooks.zapier.com', /(\bhooks\.zapier\.com\/hooks\/catch\/)([\w/]{8,80})/g),
  context('gcp-signature', 'X-Goog-Signature=', /(X-Goog-Signature=)([0-9a-f]{64,1024})/g),
  context('aws-signature', 'Signature=', /([?&]Signature=)([A-Za-z0-9%~_+/=-]{27,800})(?=[&\s"'`]|$)/g, (value) =>
    isToken(value),
  ),
  context('aws-signature', 'AWS4-HMAC', /(\bAWS4-HMAC-SHA256 [^\n]{1,300}?Signature=)([0-9a-f]{64})/g),
  context('digest-response', 'Digest ', /(\bDigest [^\n]{1,400}?\bresponse=")([0-9a-f]{32,64})(?=")/g),
  // One-time values in URLs and forms.
  context(
    'one-time-code',
    ['code', 'SAMLResponse', 'reset', 'magic', 'verify', 'invite', 'appid='],
    /((?:[?&](?:code|device_code|code_verifier|appid)=|"(?:device_code|code_verifier)"[ ]?:[ ]?"|SAMLResponse(?:=|" value=")|\/(?:reset-password|password-reset|magic-link|verify-email|invite)s?\/))([\w%+/=.~-]{24,8000})/g,
    (value) => /\d/.test(value) && isToken(value),
  ),
  context('masked-value', '::add-mask::', /(::add-mask::)([^\s"'`$<{]{4,1000})/g),
  context('twitch-token', 'oauth:', /(\boauth:)([a-z0-9]{30})(?![A-Za-z0-9])/g, isToken),
  context(
    'convex-key',
    ['prod:', 'dev:', 'preview:'],
    /(\b(?:prod|dev|preview):[a-z0-9-]{3,40}\|)([A-Za-z0-9+/]{40,300}={0,2})/g,
  ),
  // The data source name of the MySQL driver for Go.
  context(
    'password',
    ['@tcp(', '@unix('],
    /((?:^|[\s"'`=])[\w.-]{1,60}:)([^\s"'`/]{3,200})(?=@(?:tcp|unix)\()/gm,
    isUrlPassword,
  ),
  // Any scheme, and the credentials after it: `Authorization: SharedKey account:x`, `Authorization: Negotiate x`.
  context(
    'token',
    ['uthorization', 'UTHORIZATION'],
    /(\bauthorization["']?[ \t]{0,2}[:=][ \t]{0,2}["'[]{0,2}(?!bearer|basic|token)[A-Za-z][\w-]{2,30}[ ](?:[\w.@+-]{1,60}:)?)([A-Za-z0-9+/_.~-]{16,8000}={0,2})(?![\w+/=])/gi,
    (value) => /\d/.test(value) && isToken(value),
  ),
  context('token', 'oauth_signature', /(\boauth_signature=["']?)([A-Za-z0-9%+/=]{16,400})/g),
  // Mail, news and file servers: `AUTH PLAIN x`, `334 UGFzc3dvcmQ6`, `USER ada` and `PASS x`, `a1 LOGIN ada x`.
  context(
    'basic-credentials',
    'AUTH ',
    /(\bAUTH (?:PLAIN|LOGIN|XOAUTH2)(?:[ ]|\r?\n(?:[^\n]{0,80}\n){0,2}?[CS<>: \t]{0,4}))([A-Za-z0-9+/]{8,2000}={0,2}(?:\r?\n(?:334 [^\n]{0,60}\n)?[CS<>: \t]{0,4}[A-Za-z0-9+/]{8,200}={0,2})?)(?![\w+/=])/g,
  ),
  context('password', '334 ', /(\b334 UGFzc3dvcmQ6\r?\n[CS<>: \t]{0,6})([A-Za-z0-9+/]{4,200}={0,2})/g),
  context(
    'password',
    'PASS ',
    /(\bUSER[ ]\S{1,80}(?:\r?\n[^\n]{0,120}){0,3}?\r?\n[->CS: \t]{0,8}PASS[ ])(\S{3,200})/g,
    (value) => isPasswordValue(value, 'bare') && !/^\w+@\w+/.test(value),
  ),
  context('password', ' LOGIN ', /(\b[A-Za-z]{0,4}\d{1,5} LOGIN "?[\w.@+-]{1,80}"? "?)([^\s"]{4,200})/g),
  context('telegram-token', 'api.telegram.org', /(api\.telegram\.org\/(?:file\/)?bot)([\w:-]{20,80})/g),
];

const DISCORD_REST = /\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g;
const DISCORD_ID = /(?<![\w.-])[MNO][\w-]{23,27}$/;

/** Finds Discord tokens: three parts of fixed lengths, the first a number in base64. */
export const detectDiscordTokens: Detect = (text, report) => {
  for (const { index, 0: rest } of text.matchAll(DISCORD_REST)) {
    const id = DISCORD_ID.exec(text.slice(Math.max(0, index - 29), index))?.[0];
    if (id !== undefined && /\d/.test(id + rest)) report('discord-token', index - id.length, index + rest.length);
  }
};

/** The header, the curl option, or a cookie file. */
const HEAD =
  /(?:\b(?:set-)?cookies?["']?[ \t]{0,2}[:=][ \t]{0,3}["']?|\s(?:-b|--cookie)[ =]{1,2}["']?)(?=[\w.%!#$&*^|~-]{1,80}=)/gi;
const PAIR =
  /(?:;[ \t]{0,3})?([\w.%!#$&*^|~-]{1,80})=([^\s;,"'`<>]{0,4000})|;[ \t]{0,3}(?:secure|httponly|partitioned)\b/iy;
/** Attributes of a cookie, not values. */
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const MIN_COOKIE_CHARS = 6;

/** Finds the values of cookies; their names stay. */
export const detectCookies: Detect = (text, report) => {
  if (!/cookie|-b/i.test(text)) return;
  HEAD.lastIndex = 0;
  while (HEAD.test(text)) {
    PAIR.lastIndex = HEAD.lastIndex;
    for (let pair = PAIR.exec(text); pair !== null; pair = PAIR.exec(text)) {
      const [, name = '', value = ''] = pair;
      const end = pair.index + pair[0].length;
      const isCookie = !ATTRIBUTE.test(name) && value.length >= MIN_COOKIE_CHARS && isPasswordValue(value, 'literal');
      if (isCookie) report('cookie', end - value.length, end);
      HEAD.lastIndex = end;
    }
  }
};

import { type Context, context, GUTTER } from './detect.ts';

const GLUE = String.raw`(?:(?:['’]s|[ \t](?:is|was|are|ist|lautet|est|es|è|é)(?:[ \t]now)?|[ \t]?[:=#]|[ \t]?(?:->|→))?[ \t]{1,3}|(?:\\{0,3}["'])?[ \t]?[:=][ \t]?(?:\\{0,3}["'])?)["'\x60*]{0,3}`;
const PURPOSE = String.raw`(?:verification|security|confirmation|log-?in|sign-?in|one[- ]time|2fa|mfa|[th]?otp|two-factor|auth(?:entication|enticator)?|backup|recovery|scratch|unlock|pairing|activation|access|sms|e?mail)`;
const NUMBER = String.raw`(?:\d{4,10}|\d{3,4}[ -]\d{3,4})`;
const GROUPS = String.raw`(?:[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){1,7})`;
const WORDS = String.raw`(?:(?:\d{1,2}[.)]?[ ]{0,2})?[a-z]{3,8}[ ,\n]{1,3}){11,23}(?:\d{1,2}[.)]?[ ]{0,2})?[a-z]{3,8}`;
const hasDigits = (value: string) => (value.match(/\d/g)?.length ?? 0) * 6 >= value.length;
/** Twelve words of a list, not of a sentence. */
const isPhrase = (value: string) =>
  !/\b(?:the|and|you|for|that|with|this|are|not|from|your|only|of|is|to|in)\b/.test(value) &&
  new Set(value.match(/[a-z]+/g)).size >= 8;

/** Codes, PINs and phrases: short values that only the words beside them reveal. */
export const CODES: readonly Context[] = [
  // "verification code: 123456", "your 2FA backup code is 1234-5678"
  context(
    'one-time-code',
    ['ode', 'ODE', 'OTP', 'otp', 'assword', 'asscode', 'PIN', 'pin'],
    new RegExp(
      String.raw`(\b(?:${PURPOSE}[ _-](?:backup[ _-])?(?:codes?|pin|password|passcode)|PIN|(?:my|your|the|sim|card|door|user)[ _-]pin|pin[ _-]?code|passcode|[TH]?OTP|totp|Zugangscode|code (?:d'accès|de vérification|de verificación)|codice di verifica|código de verificação)${GLUE})(${NUMBER}|${GROUPS})(?![\w.-])`,
      'gi',
    ),
    (value) => hasDigits(value) && !/^(?:19|20)\d\d$|^1234(?:5(?:6(?:78)?)?)?$|^0+$/.test(value),
  ),
  context(
    'one-time-code',
    ['code', 'Code'],
    /(\b[cC]ode[: ]{1,2})(\d{4,8})(?= (?:to|in order to) (?:verify|confirm|log in|sign in|continue))/g,
  ),
  context(
    'one-time-code',
    'erification code',
    /(\b)((?:G-)?\d{4,8})(?= is your [\w ]{0,30}(?:verification|security|login) code)/g,
  ),
  context(
    'recovery-codes',
    ['codes', 'Codes', 'CODES'],
    new RegExp(
      String.raw`(\b(?:recovery|backup|scratch|2fa|mfa)[ _-]codes?[^\n:]{0,30}(?::[ \t]{0,3}|\r?\n)\s{0,10})((?:${GUTTER}(?:\d{1,2}[.)][ ]{1,2})?[a-z0-9]{4,10}(?:[ -][a-z0-9]{4,10}){0,3}[,;\s]{1,10}){1,20}(?:\d{1,2}[.)][ ]{1,2})?[a-z0-9]{4,10}(?:[ -][a-z0-9]{4,10}){0,3})`,
      'gi',
    ),
    hasDigits,
  ),
  context(
    'seed-phrase',
    ['nemonic', 'NEMONIC', 'phrase', 'PHRASE', 'seed', 'SEED', 'Seed'],
    new RegExp(
      String.raw`(\b(?:mnemonic|seed(?: words)?|(?:seed|recovery|backup|secret|pass)[ _-]?phrase)["'*]{0,3}[ \t]{0,3}(?:is|[:=])?[ \t]{0,3}(?:\r?\n)?[ \t]{0,8}["'\x60]?)(${WORDS})(?![a-z])`,
      'gi',
    ),
    isPhrase,
  ),
  context(
    'seed-phrase',
    ['phrase', 'seed', 'nemonic'],
    new RegExp(String.raw`(^|\n)(${WORDS})(?=[^\na-z]{1,4}(?:seed|recovery|secret)? ?(?:phrase|mnemonic))`, 'gi'),
    isPhrase,
  ),
  // Groups of digits that unlock a disk.
  context(
    'recovery-codes',
    'ecovery',
    /(\brecovery[ _-]?(?:key|password)\b[^\n\d]{0,40}\s{0,8})((?:\d{6}-){7}\d{6})/gi,
  ),
  context(
    'one-time-secret',
    'otpauth-migration:',
    /(otpauth-migration:\/\/offline\?data=)([A-Za-z0-9+/=%_-]{20,2000})/g,
  ),
  context(
    'license-key',
    ['icen', 'erial', 'ctivation', 'roduct'],
    /(\b(?:licen[cs]e|serial|activation|product)(?:[ _-](?:key|code|number))?["']?(?:[ ]is)?[ \t]{0,2}[:=]?[ \t]{1,3}["'`]?)((?=[A-Z0-9-]{0,50}\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,7})(?![\w-])/gi,
    (value) => /[A-Z]/.test(value),
  ),
  context(
    'one-time-secret',
    'oathtool',
    /(\boathtool\b[^\n|;&]{0,80}?[ ]["']?)([A-Z2-7]{16,64}={0,6}|[0-9a-f]{32,64})(?!\w)/g,
  ),
  context('password', 'WIFI:', /(\bWIFI:(?:[A-OQ-Z]:[^;\n]{0,80};){0,4}P:)([^;\n]{4,100})(?=;)/g),
];

import type { Detect } from './detect.ts';
import { isSpokenPassword, isStrongPassword } from './spoken.ts';
import { isRandomValue } from './values.ts';

/** The word for password in other languages. */
const PASSWORDS = anyCase([
  'Passwort',
  'Kennwort',
  'mot de passe',
  'contraseña',
  'senha',
  'palavra-passe',
  'wachtwoord',
  'lösenord(?:et)?',
  'adgangskoden?',
  'passord(?:et)?',
  'kodeord(?:et)?',
  'hasło',
  'heslo',
  'salasana',
  "parola(?: d'ordine)?",
  'parolă',
  'пароль',
  'парола',
  'lozinka',
  'jelszó',
  'şifre(?:m|n|si)?',
  'kata sandi',
  'mật khẩu',
  'κωδικός',
  '密码',
  '密碼',
  '口令',
  'パスワード',
  '暗証番号',
  '비밀번호',
  '암호',
  'كلمة المرور',
  'كلمة السر',
  'पासवर्ड',
  'סיסמה',
  'הסיסמה',
  'รหัสผ่าน',
]);
/** Words that are also used for other things, so that their value must be strong; and words for keys and tokens. */
const KEYS = anyCase([
  'API-Schlüssel',
  'Schlüssel',
  "clé (?:API|secrète|d[’']API|privée)",
  'clave(?: (?:de )?(?:la )?API| secreta)?',
  'chave (?:da |de )?API',
  'chiave (?:API|segreta)',
  'ключ(?: API)?',
  'токен',
  'APIキー',
  'トークン',
  '秘密鍵',
  'API ?密[钥鑰]',
  '密[钥鑰]',
  '令牌',
  'API ?키',
  '토큰',
  'jeton',
  'APIトークン',
  'sandi',
  'mdp(?=[ \\t]?[:=])',
]);

/** The first letter may be a capital. */
function anyCase(words: readonly string[]): string {
  return words
    .map((word) => `[${word.charAt(0).toLowerCase()}${word.charAt(0).toUpperCase()}]${word.slice(1)}`)
    .join('|');
}

const CREDENTIALS = 'Zugangsdaten|Anmeldedaten|identifiants|credenciales|credenciais|credenziali|inloggegevens';
const IS_FOREIGN = new RegExp(`${PASSWORDS}|${KEYS}|${CREDENTIALS}`);

const COPULA = 'ist|lautet|war|wäre|est|était|es|era|é|è|is|was|är|er|to|je|on|este|είναι|היא|هي|là|hai|adalah|ni|jest';
const ADVERB = 'jetzt|nun|aktuell|noch|maintenant|ahora|agora|ora|nu|teraz|теперь';
const SIGN = [
  String.raw`[ \t]{0,2}[:=：][ \t]{0,3}`,
  String.raw`[ \t]{1,3}(?:${COPULA}|—|-)(?:[ \t](?:${ADVERB}))?[ \t:]{1,3}`,
  String.raw`[ \t]{0,2}[是为為は은는][ \t:：]{0,3}`,
  String.raw`[ \t]{1,3}(?=["'\x60„«])`,
].join('|');
const OF = String.raw`(?:[ \t](?:für|for|pour|para|do|de|der|des|del|della|von|van|của|zum|zur|для|от|до|к)[ \t][^\n:=："'\x60]{1,40}?)?`;
const WORD = String.raw`(?<!\p{L})`;
const VALUE = String.raw`([^\s"'\x60“”»」,;<>(){}[\]。、\p{Lo}]{6,100})`;
const OPEN = String.raw`["'\x60„«「]?`;
const AFTER = new RegExp(String.raw`(${WORD}(?:${PASSWORDS})${OF}(?:${SIGN})${OPEN})${VALUE}`, 'gu');
/** In languages without spaces the word follows others: 数据库密码为x. */
const AFTER_GLUED = new RegExp(
  String.raw`(?<=\p{Lo})((?:密码|密碼|口令|パスワード|비밀번호)(?:${SIGN})${OPEN})${VALUE}`,
  'gu',
);
const ADJACENT = new RegExp(String.raw`(${WORD}(?:${PASSWORDS})${OF}[ \t]{1,3})${VALUE}(?=[\s.,;)]|$)`, 'gu');
const KEY_AFTER = new RegExp(String.raw`(${WORD}(?:${KEYS})(?:-nya)?(?:${SIGN}|[ \t]{1,2})${OPEN})${VALUE}`, 'gu');
const BEFORE = new RegExp(
  String.raw`((?:^|[\s"'\x60„«]))${VALUE}(?=["'\x60“»]?[ \t](?:als|comme|como|come|som|jako|как)[ \t](?:\p{L}{1,12}[ \t]){0,2}(?:${PASSWORDS}|[Pp]assword)(?!\p{L}))`,
  'gum',
);
const AFTER_USER = new RegExp(
  String.raw`((?:${CREDENTIALS})[ \t]{0,2}:[ \t]{0,3}[\w.@+-]{1,40}[ \t]{0,2}[/:][ \t]{0,2})${VALUE}`,
  'gu',
);

const isForeignKey = (value: string) => isStrongPassword(value) || isRandomValue(value, 'bare');

const RULES: readonly (readonly [pattern: RegExp, isSecret: (value: string) => boolean])[] = [
  [AFTER, isSpokenPassword],
  [AFTER_GLUED, isSpokenPassword],
  [ADJACENT, isStrongPassword],
  [KEY_AFTER, (value) => /\d/.test(value) && isForeignKey(value)],
  [BEFORE, isSpokenPassword],
  [AFTER_USER, isSpokenPassword],
];

/** Finds passwords and keys after the word for them in a language other than English. */
export const detectForeignPasswords: Detect = (text, report) => {
  if (!IS_FOREIGN.test(text)) return;
  for (const [pattern, isSecret] of RULES) {
    for (const { 1: before = '', 2: value = '', index } of text.matchAll(pattern)) {
      const password = value.replace(/[.:!?]$/, '');
      if (isSecret(password)) report('password', index + before.length, index + before.length + password.length);
    }
  }
};

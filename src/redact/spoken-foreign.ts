import { createAnchorScan, type Detect } from './detect.ts';
import { isSpokenPassword, isStrongPassword, reportNear } from './nearby.ts';
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
  'лозинка',
  'гасло',
  'slaptažodis',
  'parole',
  'parool',
  'wagwoord',
  'nenosiri',
  'contrasenya',
  'contrasinal',
  'pasahitza',
  'lykilorð',
  'fjalëkalim(?:i|in)?',
  'geslo',
  'zaporka',
  'mdp',
  'kata sandinya',
  'pass[ -]phrase',
  'رمز المرور',
  'codice segreto',
  'code secret',
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
const NOUN = new RegExp(`${PASSWORDS}|${KEYS}|${CREDENTIALS}`, 'g');
/** The words in plain letters. A text with none of these and no other letters contains no word of the list. */
const STEMS = NOUN.source.split('|').flatMap((word) => {
  const plain = /^[a-z -]{3,}/i.exec(word.replace(/^\[(.).\]/, '$1').replace(/.\?.*$/, ''))?.[0] ?? '';
  return /[^\x20-\x7e]/.test(word) ? [] : [plain.trim().toLowerCase()].filter((stem) => stem.length > 2);
});
const scan = createAnchorScan(
  STEMS.map((stem) => [stem, true] as const),
  { ignoreCase: true },
);
const OTHER_LETTERS = /[\u00c0-\u024f\u0370-\u06ff\u0900-\u0e7f\u1e00-\u1eff\u3040-\u9fff\uac00-\ud7a3]/;

function isLikely(text: string): boolean {
  let isFound = OTHER_LETTERS.test(text);
  if (!isFound)
    scan(text, () => {
      isFound = true;
      return text.length;
    });
  return isFound;
}

const COPULA =
  "ist|lautet|war|wäre|est|était|es|era|é|è|is|was|är|er|to|je|on|este|είναι|היא|هي|là|hai|adalah|ni|jest|c[’']est|है|คือ|ir|yra|eshte|është|da|auf|sera|será|sarà|heißt|будет|nya|em|to na|wurde auf|a été changé en|fue cambiada a";
const ADVERB = 'jetzt|nun|aktuell|noch|maintenant|ahora|agora|ora|nu|teraz|теперь';
const SIGN = [
  String.raw`(?:[ \t]\p{L}{1,16}){0,2}[ \t]{0,2}[:=：][ \t]{0,3}`,
  String.raw`[ \t]{1,3}(?:${COPULA}|—|-)(?:[ \t](?:${ADVERB}))?[ \t:]{1,3}`,
  String.raw`[\p{Lo}\p{M}]{0,10}[ \t]{0,2}[:=：][ \t]{0,3}`,
  String.raw`[ \t]{0,2}(?:[是为為は은는을를を]|คือ|改为|改成|设为|設為)[ \t:：]{0,3}`,
  String.raw`[ \t]{1,3}(?=["'\x60„«])`,
].join('|');
const OF = String.raw`(?:[ \t](?:für|for|voor|til|till|dla|di|per|za|за|pour|para|do|de|der|des|del|della|von|van|của|zum|zur|для|от|до|к)[ \t][^\n:=："'\x60]{1,40}?)?`;
/** German, Dutch and Nordic words may follow another one: `Datenbankpasswort`. */
const WORD = String.raw`(?:(?<!\p{L})|(?<=\p{Ll}{3})(?=passwort|kennwort|wachtwoord|lösenord|passord|adgangskode))`;
const VALUE = String.raw`([^\s"'\x60“”»」,;<>(){}[\]。、\p{Lo}]{6,100})`;
const OPEN = String.raw`["'\x60„«「]?`;
const AFTER = new RegExp(String.raw`(${WORD}(?:${PASSWORDS})${OF}(?:${SIGN})${OPEN})${VALUE}`, 'yu');
/** In languages without spaces the word follows others: 数据库密码为x. */
const AFTER_GLUED = new RegExp(
  String.raw`(?<=\p{Lo})((?:密码|密碼|口令|パスワード|비밀번호)(?:${SIGN})${OPEN})${VALUE}`,
  'yu',
);
const ADJACENT = new RegExp(
  String.raw`(${WORD}(?:${PASSWORDS})${OF}(?:[ \t]{1,3}|(?<=[\p{Lo}])))${VALUE}(?=[\s.,;)]|$)`,
  'yu',
);
const KEY_AFTER = new RegExp(String.raw`(${WORD}(?:${KEYS})(?:-nya)?(?:${SIGN}|[ \t]{1,2})${OPEN})${VALUE}`, 'yu');
const AFTER_USER = new RegExp(
  String.raw`((?:${CREDENTIALS})[ \t]{0,2}:[ \t]{0,3}[\w.@+-]{1,40}[ \t]{0,2}[/:][ \t]{0,2})${VALUE}`,
  'yu',
);
/** "x als Passwort": the text before the word. */
const BEFORE = new RegExp(
  String.raw`(?:^|[\s"'\x60„«])${VALUE}["'\x60“»]?[ \t](?:als|comme|como|come|som|jako|как)[ \t](?:\p{L}{1,12}[ \t]){0,2}$`,
  'u',
);
const MAX_BEFORE = 160;

const isForeignKey = (value: string) => isStrongPassword(value) || isRandomValue(value, 'bare');

const RULES: readonly (readonly [pattern: RegExp, isSecret: (value: string) => boolean])[] = [
  [AFTER, isSpokenPassword],
  [AFTER_GLUED, isSpokenPassword],
  [ADJACENT, isStrongPassword],
  [KEY_AFTER, (value) => /\d/.test(value) && isForeignKey(value)],
  [AFTER_USER, isSpokenPassword],
];

/** Finds passwords and keys beside the word for them in a language other than English. */
export const detectForeignPasswords: Detect = (text, report) => {
  if (!isLikely(text)) return;
  for (const { 0: noun, index } of text.matchAll(NOUN)) {
    const check = (value: string, start: number, isSecret: (value: string) => boolean) => {
      const password = value.replace(/[.:!?]$/, '');
      if (isSecret(password)) report('password', start, start + password.length);
    };
    for (const [pattern, isSecret] of RULES) {
      pattern.lastIndex = index;
      const [, before = '', value = ''] = pattern.exec(text) ?? [];
      if (value !== '') check(value, index + before.length, isSecret);
    }
    const from = Math.max(0, index - MAX_BEFORE);
    const before = BEFORE.exec(text.slice(from, index));
    if (before !== null)
      check(before[1] ?? '', from + before.index + before[0].indexOf(before[1] ?? ''), isSpokenPassword);
    if (isWholeWord(text, index, index + noun.length)) reportNear(text, index, index + noun.length, report);
  }
};

/** Short words such as `mdp` also occur in base64. */
function isWholeWord(text: string, start: number, end: number): boolean {
  return !/[\p{L}\d+/]/u.test(text.charAt(start - 1)) && !/[\p{L}\d+/]/u.test(text.charAt(end));
}

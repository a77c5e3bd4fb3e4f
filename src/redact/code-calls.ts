import { type Context, context, type Detect } from './detect.ts';
import { isStrongPassword, isUnmistakable } from './nearby.ts';
import { isPasswordValue, isRandomValue } from './values.ts';

/** A string literal in code: not a label, not a name. */
const isLiteral = (value: string) => isPasswordValue(value, 'quoted') && /[^a-z]/.test(value);
const isKey = (value: string) => isLiteral(value) && value.length >= 8 && !/\s/.test(value);

const TEXT = String.raw`[^"'\x60\n]{0,120}`;
const STRING = String.raw`["'\x60]${TEXT}["'\x60]`;
const VALUE = String.raw`["'\x60])([^"'\x60\n]{4,200})(?=["'\x60])`;
const ARGUMENT = String.raw`(?:${STRING}|[\w.$:[\]{} ]{1,60})`;
const GAP = String.raw`,\s{0,20}`;
const call = (functions: string, before: number) =>
  new RegExp(String.raw`((?:${functions})\(\s{0,20}(?:${ARGUMENT}${GAP}){${before}}[bruf]{0,2}${VALUE}`, 'g');

/** Calls whose password or key has no name but a position. */
export const CODE_CALLS: readonly Context[] = [
  context(
    'password',
    ['crypt', 'argon', 'scrypt', 'pbkdf2', 'Hash::', 'password_hash', 'set_password', 'hashpw', 'check_password'],
    call(
      String.raw`\bbcrypt(?:js)?\.(?:hash|hashSync|compare|compareSync|hashpw|checkpw)|\bbcrypt|\bargon2\.(?:hash|verify)|\bcrypto\.(?:scrypt|scryptSync|pbkdf2|pbkdf2Sync)|\bHash::(?:make|check)|\bpassword_(?:hash|verify)|\.(?:set|check)_password|\bmake_password|\bcrypt`,
      0,
    ),
    isLiteral,
  ),
  context(
    'password',
    ['hashlib.', 'generate_password_hash('],
    call(String.raw`\bhashlib\.(?:sha\d{1,3}|md5|blake2[bs])|\bgenerate_password_hash`, 0),
    (value) => isStrongPassword(value) && !/\s/.test(value),
  ),
  context('password', 'pbkdf2_hmac(', call(String.raw`\bpbkdf2_hmac`, 1), isLiteral),
  context(
    'assigned-secret',
    ['createHmac(', 'createCipheriv(', 'jwt.', 'JWT.', 'hash_hmac('],
    call(
      String.raw`\bcreateHmac|\bcreate(?:C|Dec)ipheriv|\b(?:jwt|JWT|jsonwebtoken)\.(?:sign|verify|encode|decode)`,
      1,
    ),
    isKey,
  ),
  context(
    'assigned-secret',
    ['cookieParser(', 'Fernet(', 'fromSecretKey(', 'Wallet('],
    call(String.raw`\bcookieParser|\bFernet|\bWallet`, 0),
    (value) => isKey(value) && isRandomValue(value, 'literal'),
  ),
  context(
    'password',
    [
      '.login(',
      '.auth(',
      'changeUserPassword(',
      'NetworkCredential',
      'SetBasicAuth(',
      'sym_encrypt(',
      'sym_decrypt(',
      'asic(',
      'WiFi.begin(',
    ],
    call(
      String.raw`\.login|\.auth|\bchangeUserPassword|\bNetworkCredential(?:\]::new)?|\b(?:[cC]redentials|[aA]uth)\.[bB]asic|\bSetBasicAuth|\bWiFi\.begin|\bpgp_sym_(?:en|de)crypt|\bbasic_?[aA]uth`,
      1,
    ),
    isLiteral,
  ),
  context(
    'password',
    ['getConnection(', 'onnect(', 'mysqli', 'PDO(', 'FTP(', 'equelize(', 'create_superuser(', 'create_user('],
    call(
      String.raw`\bgetConnection|\b(?:pymysql|psycopg2|MySQLdb|cx_Oracle|oracledb|mysql|mysqli_?|odbc_)\.?connect|\bmysqli|\bPDO|\bFTP(?:_TLS)?|\bSequelize|\bcreate_(?:super)?user`,
      2,
    ),
    isLiteral,
  ),
  // A user and a password in a call that logs in or creates an account: `login("ada", "x")`, `bind_s("cn=ada", "x")`.
  context(
    'password',
    [
      'ogin',
      'ogIn',
      'uth.check(',
      'uth.attempt(',
      'ignIn(',
      'ign_in(',
      'onnect(',
      'bind(',
      'bind_s(',
      'ser(',
      'egister(',
      'uthenticate(',
      'ignUp(',
    ],
    new RegExp(
      String.raw`((?:[lL]og_?[iI]n\w{0,12}|[aA]uth\.(?:check|attempt)|[sS]ign_?[iI]n|[sS]ign_?[uU]p|[cC]onnect|bind|bind_s|[cC]reate_?[uU]ser|[rR]egister|[aA]uthenticate)\(\s{0,20}(?:${ARGUMENT}${GAP}){0,2}?${STRING}${GAP}${VALUE}`,
      'g',
    ),
    (value) => isStrongPassword(value) && !/\s/.test(value),
  ),
  // `AES.new(b"x", …)`
  context(
    'assigned-secret',
    ['AES.new(', 'ChaCha20', 'secretbox('],
    call(String.raw`\bAES\.new|\bChaCha20\w{0,12}(?:\.new)?|\bsecretbox`, 0),
    isKey,
  ),
];

/** Functions that take a secret, by a word in their names; the arguments follow. */
const CALL =
  /(?:[cC]redentials?|[pP]assword|[aA]uth\w{0,12}|[sS]ign(?:With|In|er)?\w{0,24}|[hH]mac(?:\.new)?|[eE]ncrypt|[dD]ecrypt|[cC]ipher|[kK]ey\w{0,12}|KeyStore\.load|[tT]oken|[lL]ogin|[cC]onnect|WiFi\.begin|[cC]lient)[=]?\((?=[^()\n]{8,400})([^()\n]{1,400})/g;
const ARGUMENT_STRING = /(?<=["'\x60])[A-Za-z0-9][^\s"'\x60,;<>{}/\\]{7,200}(?=["'\x60])/g;

/** Finds literals in such calls that can hardly be anything else. */
export const detectCalls: Detect = (text, report) => {
  for (const { 0: call, 1: list = '', index } of text.matchAll(CALL)) {
    const from = index + call.length - list.length;
    for (const { 0: value, index: at } of list.matchAll(ARGUMENT_STRING)) {
      if (isUnmistakable(value, 'api_password')) report('assigned-secret', from + at, from + at + value.length);
    }
  }
};

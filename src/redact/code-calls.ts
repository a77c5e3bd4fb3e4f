import { type Context, context } from './detect.ts';
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
    ['.login(', '.auth(', 'changeUserPassword(', 'NetworkCredential(', 'SetBasicAuth(', 'sym_encrypt(', 'sym_decrypt('],
    call(
      String.raw`\.login|\.auth|\bchangeUserPassword|\bNetworkCredential|\bSetBasicAuth|\bpgp_sym_(?:en|de)crypt|\bbasic_?[aA]uth`,
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
];

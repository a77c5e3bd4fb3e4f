import type { Disguised } from './disguises.ts';
import { AN, BASE64, base64, HEX, LOWER_AN, type Make, type Random, uuid } from './random.ts';
import { VENDOR_SECRETS } from './vendor-secrets.ts';

/*
 * Compact versions of a generator that was written from the documentation of vendors and tools, without knowledge of the
 * rules. It mostly covers what the rules missed at first. The rules were then extended, so it guards against regressions
 * and does not estimate the recall for unseen secrets.
 */

const WORDS = ['copper', 'lantern', 'maple', 'orbit', 'velvet', 'quartz', 'harbor', 'tundra', 'pickle', 'saddle'];
const word: Make = (r) => r.pick(WORDS);

const TOKENS: readonly Make[] = [
  (r) => `${r.chars(AN, 24)}7`,
  (r) => r.chars(LOWER_AN, 32),
  (r) => r.chars(HEX, 32),
  (r) => r.chars(HEX, 64),
  uuid,
  (r) => `/${r.chars(BASE64, 39)}`,
];
const PASSWORDS: readonly Make[] = [
  (r) => `${word(r)}${r.int(90) + 10}!`,
  (r) => `${word(r)}-${word(r)}-${word(r)}-${r.int(90)}`,
  (r) => `Tr0ub4dor&${r.int(90) + 10}x`,
  (r) => `${r.chars(AN, 6)}7a`,
  (r) => r.chars(AN, 16),
];
const token: Make = (r) => r.pick(TOKENS)(r);
const password: Make = (r) => r.pick(PASSWORDS)(r);
/** An unquoted shell word. */
const plain: Make = (r) =>
  r.pick([(x: Random) => `${word(x)}${x.int(9000) + 1000}`, (x: Random) => x.chars(AN, 16)])(r);
const phrase: Make = (r) => `${word(r)} ${word(r)} ${r.int(90) + 10}`;

const PLACES: readonly ((secret: string) => string)[] = [
  (s) => s,
  (s) => `It is ${s}. Then we go on`,
  (s) => `https://acme.example/hook/${s}`,
  (s) => `ok\u001b[1;31m${s}\u001b[0mdone`,
  (s) => `@@ -1 +1 @@\n-old\n+${s}`,
  (s) => `|t|${s}|`,
  (s) => `src/a.ts-12-${s}`,
  (s) => `&quot;${s}&quot;`,
  (s) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify(`x\n${s}\ty`) }) }),
  (s) => base64(`A=1\nTHING=${s}\n`),
];

const NAMES =
  'API_KEY apiKey client_secret accessToken AUTH_TOKEN DD_API_KEY LAUNCHDARKLY_SDK_KEY SUPABASE_SERVICE_ROLE_KEY AZURE_STORAGE_KEY ADAFRUIT_IO_KEY JWT_SECRET signing_key X-Auth-Token'.split(
    ' ',
  );
const PASSWORD_NAMES =
  'DB_PASSWORD dbPassword MYSQL_PWD SMTP_PASS storePassword ldap_bind_password TF_VAR_db_password'.split(' ');
const SYNTAX: readonly ((name: string, value: string) => string)[] = [
  (n, v) => `export ${n}="${v}"`,
  (n, v) => `$env:${n} = "${v}"`,
  (n, v) => `set -gx ${n} ${v}`,
  (n, v) => `| \`${n}\` | \`${v}\` |`,
  (n, v) => `set \`${n}\` to \`${v}\``,
  (n, v) => `env:\n  - name: ${n}\n    value: "${v}"\n`,
  (n, v) => `cfg.set('${n}', '${v}')`,
  (n, v) => `'${n}' => '${v}',`,
  (n, v) => `<add key="${n}" value="${v.replaceAll('&', '&amp;')}" />`,
  (n, v) => `{"r":${JSON.stringify(JSON.stringify({ [n]: v }))}}`,
  (n, v) => `echo '${v}' | vercel env add ${n} production`,
  (n, v) => `gh secret set ${n} --body "${v}"`,
  (n, v) => `dotnet user-secrets set "App:${n}" "${v}"`,
];

const COMMANDS: readonly ((r: Random) => readonly [secret: string, before: string, after: string])[] = [
  (r) => [plain(r), 'curl -sSu bob:', ' https://a.example'],
  (r) => [phrase(r), 'mysql -uroot -p"', '" app'],
  (r) => [phrase(r), "sshpass -p '", "' ssh h"],
  (r) => [plain(r), 'twine upload -u bob -p ', ' dist/*'],
  (r) => [plain(r), 'lftp -u bob,', ' sftp://h'],
  (r) => [password(r), 'ssh-keygen -t ed25519 -N "', '" -f k'],
  (r) => [r.chars(HEX, 64), 'openssl enc -aes-256-cbc -K ', ' -iv 0'],
  (r) => [password(r), "security add-generic-password -a a -s s -w '", "'"],
  (r) => [password(r), "aws ssm put-parameter --name /a --type SecureString --value '", "'"],
  (r) => [plain(r), 'composer config http-basic.repo.example bob ', ''],
  (r) => [plain(r), 'mc alias set m https://h minio ', ''],
  (r) => [plain(r), 'helm install a b --set auth.password=', ',replicas=2'],
  (r) => [plain(r), 'psql "host=db user=bob password=', ' dbname=app"'],
  (r) => [password(r), "echo '", "' | gpg --batch --passphrase-fd 0 -d f"],
  (r) => [password(r), "request(app).get('/').auth('bob', '", "')"],
  (r) => [r.chars(BASE64, 40), 'rclone config create r s3 secret_access_key ', ''],
];

const FILES: readonly ((r: Random) => readonly [secret: string, before: string, after: string])[] = [
  (r) => [phrase(r), 'PORT=1\nADMIN_PASSWORD=', '\nDEBUG=1\n'],
  (r) => [phrase(r), 'db:\n  host: x\n  password: ', '\n  port: 1\n'],
  (r) => [r.chars(BASE64, 40), `User name,Access key ID,Secret access key\nbob,AKIA${'Q7'.repeat(8)},`, '\n'],
  (r) => [plain(r), 'machine h.example\n  login bob\n  password ', '\n'],
  (r) => [plain(r), 'db.example:5432:app:bob:', '\n'],
  (r) => [base64(password(r)), 'kind: Secret\ndata:\n  whatever: ', '\n'],
  (r) => [`${r.chars(AN, 30)}|#~;${r.chars(AN, 20)}`, "define('NONCE_SALT',       '", "');\n"],
  (r) => [plain(r), 'ds.setPassword("', '");\n'],
];

const numbered = (mark: string) => (text: string) =>
  text
    .split('\n')
    .map((line, n) => `${String(n + 7).padStart(6)}${mark}${line}`)
    .join('\n');
const WRITTEN: readonly ((text: string) => string)[] = [
  (text) => text,
  numbered('→'),
  numbered(' | '),
  (text) => text.replaceAll(/^/gm, '+'),
  (text) => text.replaceAll(/^/gm, '// '),
  (text) =>
    text
      .split('\n')
      .map((line, n) => `conf/app:${n + 1}:${line}`)
      .join('\n'),
];

/** The inside of a key, without its first and last line. */
function plantKeyBodies(r: Random): readonly Disguised[] {
  return [64, 70].flatMap((width) =>
    WRITTEN.map((write, n) => {
      const lines = Array.from({ length: 5 + r.int(9) }, () => `${r.chars(AN, 3)}7aA${r.chars(BASE64, width - 6)}`);
      return { id: `key body of ${width}, written ${n}`, text: write(lines.join('\n')), secrets: lines };
    }),
  );
}

const pieces = (secret: string) => secret.split(' ').filter((piece) => piece.length >= 4);

/** All generators, by class. */
export const DOCUMENTED_SECRETS: Readonly<Record<string, (random: Random) => readonly Disguised[]>> = {
  'vendor forms': (r) =>
    Object.entries(VENDOR_SECRETS)
      // These are recognizable only by the URL around them.
      .filter(([id]) => !['Slack webhook', 'Teams'].includes(id))
      .map(([id, make]) => {
        const secret = make(r);
        return { id, text: r.pick(PLACES)(secret), secrets: [secret] };
      }),
  assignments: (r) =>
    SYNTAX.flatMap((write, n) =>
      [token, password].map((make) => {
        const secret = make(r);
        const name = r.pick(make === token ? NAMES : PASSWORD_NAMES);
        return { id: `assignment ${n}`, text: write(name, secret), secrets: [secret] };
      }),
    ),
  'command lines': (r) =>
    COMMANDS.map((make, n) => {
      const [secret, before, after] = make(r);
      const text = `${before}${secret}${after}`;
      const written = r.pick([(x: string) => x, (x: string) => `$ ${x}\nok`, (x: string) => `     7→${x}`]);
      return { id: `command ${n}`, text: written(text), secrets: pieces(secret) };
    }),
  files: (r) =>
    FILES.map((make, n) => {
      const [secret, before, after] = make(r);
      return { id: `file ${n}`, text: r.pick(WRITTEN.slice(0, 4))(before + secret + after), secrets: pieces(secret) };
    }),
  'excerpts of keys': plantKeyBodies,
};

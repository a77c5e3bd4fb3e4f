import { expect, it } from 'vitest';
import { AN, createRandom } from './testing/random.ts';
import { redact, SEEDS } from './testing/redactor.ts';
import { chars, PEM, upper, word } from './testing/secrets.ts';

/** In base64 with line breaks after 76 characters, a name after it ends a line, and its value begins the next one. */
const NOTE = `${'Ask Ada before you change this. '.repeat(4).slice(0, 105)}\n`;

it.each([
  ['a PEM block', PEM],
  ['a PEM block in JSON', JSON.stringify({ k: PEM })],
  ['a PEM block in JSON in JSON', JSON.stringify(JSON.stringify({ k: PEM }))],
  ['a PEM block that was cut', PEM.slice(0, 120)],
  ['an OpenSSH key', PEM.replaceAll('RSA', 'OPENSSH')],
  ['a PGP block', PEM.replaceAll('RSA PRIVATE KEY', 'PGP PRIVATE KEY BLOCK')],
])('J4: %s', (_, text) => {
  const value = redact(`x ${text} y`);
  expect(value).toContain('[secret:private-key]');
  expect(value).not.toContain(chars(30));
  expect(value).toMatch(/^x .* y$/s);
});

it.each([
  [
    `postgres://ada:${word('s3cr')}3t!pw@db.example.com:5432/shop`,
    'postgres://ada:[secret:url-password]@db.example.com:5432/shop',
  ],
  [
    `https://${word('x-access')}-token:abc@github.com/a/b`,
    'https://x-access-token:[secret:url-password]@github.com/a/b',
  ],
  [`redis://:${word('hunter')}2@cache:6379`, 'redis://:[secret:url-password]@cache:6379'],
  [`Authorization: Bearer ${chars(40)}`, 'Authorization: Bearer [secret:bearer-token]'],
  [
    `Authorization: Basic ${Buffer.from('ada:lovelace1').toString('base64')}`,
    'Authorization: Basic [secret:basic-credentials]',
  ],
  // Characters that end a value elsewhere.
  [
    'Server=db;User Id=sa;Password=p@ss&w0rd!9;Database=x',
    'Server=db;User Id=sa;Password=[secret:password];Database=x',
  ],
  [`PGPASSWORD=${word('Tr0ub')}4dor\\&26x psql`, 'PGPASSWORD=[secret:password] psql'],
  ['<password>Tr0ub&amp;4dor26x</password>', '<password>[secret:password]</password>'],
  ['password = "Tr0ub\\"4dor&26x"', 'password = "[secret:password]"'],
  ['password: p@ss&w0rd#2024!', 'password: [secret:password]'],
  ['/login?password=Tr0ub4dor%2626x&next=/home', '/login?password=[secret:password]&next=/home'],
  [
    `Server=db;User Id=ada;Password=${word('Tr0ub')}4dor;Encrypt=yes`,
    'Server=db;User Id=ada;Password=[secret:password];Encrypt=yes',
  ],
  [
    `AccountName=shop;AccountKey=${chars(86)}==;EndpointSuffix=x`,
    'AccountName=shop;AccountKey=[secret:azure-storage-key];EndpointSuffix=x',
  ],
  [
    `https://x.blob.core.windows.net/c?sv=1&sig=${chars(43)}%3D&se=2`,
    'https://x.blob.core.windows.net/c?sv=1&sig=[secret:azure-sas-signature]&se=2',
  ],
  [`AWS_SECRET_ACCESS_KEY=${chars(40)}`, 'AWS_SECRET_ACCESS_KEY=[secret:assigned-secret]'],
  [`aws_secret_access_key = ${chars(40)}`, 'aws_secret_access_key = [secret:assigned-secret]'],
  [`DB_PASSWORD="${word('correct')}-horse"`, 'DB_PASSWORD="[secret:password]"'],
  [`password: '${word('hunter')}2'`, "password: '[secret:password]'"],
  [`{"client_secret":"${chars(32)}"}`, '{"client_secret":"[secret:assigned-secret]"}'],
  [`{\\"api_key\\": \\"${chars(32)}\\"}`, '{\\"api_key\\": \\"[secret:assigned-secret]\\"}'],
  [`mysql --password ${word('hunter')}2go4it -u ada`, 'mysql --password [secret:password] -u ada'],
  [`gh auth login --with-token=${chars(40)}`, 'gh auth login --with-token=[secret:token]'],
  [`CLOUDFLARE_API_TOKEN=${chars(40)}`, 'CLOUDFLARE_API_TOKEN=[secret:token]'],
  [`**Password:** \`${word('s3cr')}3t!pw\``, '**Password:** `[secret:password]`'],
  [`- **Password**: ${word('s3cr')}3t!pw`, '- **Password**: [secret:password]'],
  [`**API key**: **${chars(32)}`, '**API key**: **[secret:assigned-secret]'],
  [`ENCRYPTION_KEY=${chars(44)}`, 'ENCRYPTION_KEY=[secret:assigned-secret]'],
  [
    `hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${chars(24)}`,
    'hooks.slack.com/services/[secret:slack-webhook]',
  ],
])('J4: replaces the secret in %s and keeps the rest', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
it.each<[string, (secret: string) => string]>([
  ['URL-encoded', (secret) => `redirect=${encodeURIComponent(`https://x/?api_key=${secret}&n=1`)}`],
  ['base64', (secret) => `echo ${base64(`API_KEY=${secret}\n`)} | base64 -d`],
  ['base64 in base64', (secret) => base64(base64(`{"api_key":"${secret}"}`))],
  ['base64 with line breaks', (secret) => base64(`${NOTE}API_KEY=${secret}\n${NOTE}`).replaceAll(/.{76}/g, '$&\n')],
  ['base64url', (secret) => Buffer.from(`{"api_key":"${secret}"}`).toString('base64url')],
  ['JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ api_key: secret }))],
  ['JSON in JSON in JSON', (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ api_key: secret })))],
  ['an environment dump', (secret) => `HOME=/root\nAPI_KEY=${secret}\nSHLVL=1`],
  ['the environment of a container', (secret) => `"Env": ["HOME=/root", "API_KEY=${secret}"]`],
  ['a shell declaration', (secret) => `declare -x API_KEY="${secret}"`],
])('J4: finds a secret within %s', (_, hide) => {
  const hidden = SEEDS.map((seed) => {
    const secret = createRandom(seed).chars(AN, 32);
    return { secret, found: redact(hide(secret)) };
  });
  expect(hidden.filter(({ secret, found }) => found === hide(secret) || found.includes(secret))).toEqual([]);
});

it('J4: searches base64', () => {
  const hidden = Buffer.from(`AWS_SECRET_ACCESS_KEY=${chars(40)}\n`).toString('base64');
  expect(redact(`echo ${hidden} | base64 -d`)).toBe('echo [secret:encoded-secret] | base64 -d');
  const plain = Buffer.from('There is nothing secret in this plain sentence.').toString('base64');
  expect(redact(plain)).toBe(plain);
});

it('finds the start of a token in a truncated text', () => {
  const head = `ghp_${chars(36)}`.slice(0, 20);
  expect([redact(`use ${head}`), redact(`use ${head}…`), redact(`use ${head}...`)]).toEqual([
    'use [secret:github-token]',
    'use [secret:github-token]…',
    'use [secret:github-token]...',
  ]);
  expect(redact('use ghp_xxxxxxxxxxxx...')).toBe('use ghp_xxxxxxxxxxxx...');
});

it('finds a private key after the line numbers of Read', () => {
  const numbered = PEM.split('\n').map((line, n) => `${String(n + 1).padStart(6)}→${line}`);
  expect(redact(numbered.join('\n'))).toBe('     1→[secret:private-key]');
});

it.each([
  [`"${chars(20)}" . "${chars(20)}"`, 'joined by a dot'],
  [`"${chars(20)}" & "${chars(20)}"`, 'joined by an ampersand'],
  [`"${chars(20)}"\n    "${chars(20)}"`, 'side by side'],
])('finds the parts of a token in string literals: %s', (literals) => {
  const value = redact(`const api_token = ${literals};`);
  expect(value).not.toContain(chars(20).slice(0, 8));
});

it.each([
  ['with a break of quoted-printable mail', `ghp_${chars(18)}=\n${chars(18)}`],
  ['with an opportunity to wrap', `ghp_${chars(18)}<wbr>${chars(18)}`],
  ['with escapes of Markdown', `ghp\\_${chars(36)}`],
])('finds a token %s', (_, token) => {
  const value = redact(`use ${token} now`);
  expect(value).not.toContain(chars(18).slice(0, 10));
  expect(value).not.toContain(chars(36).slice(0, 10));
});

it.each([
  [
    `-----BEGIN OpenVPN Static key ${word('V1')}-----\n${'0123456789abcdef'.repeat(2)}\n-----END OpenVPN Static key V1-----`,
  ],
  [`untrusted comment: minisign encrypted ${word('secret')} key\nRW${chars(120)}`],
  [`<RSAKeyValue><Exponent>AQAB</Exponent><D>${chars(120)}=</D></RSAKeyValue>`],
  [`loadKey("MC4CAQAwBQYDK2VwBCIEI${chars(43)}")`],
])('J4: finds a private key in another format: %s', (text) => {
  const value = redact(text);
  expect(value).toContain('[secret:private-key]');
  expect(value).not.toContain(chars(43).slice(4, 24));
  expect(value).not.toContain('0123456789abcdef');
});

it.each([
  ['hydra -l root -p ', 'Falcon-River-42', ' ssh://h'],
  ['docker login -u ada --password-stdin <<< "', 'Falcon-River-42', '"'],
  ['net user ada ', 'Falcon-River-42', ' /add'],
  ['ACL SETUSER app on >', 'Falcon-River-42', ' ~* +@all'],
  ['expect "password:"\nsend "', 'Falcon-River-42', '\\r"'],
  ["echo '", 'Falcon-River-42', "' | cryptsetup open /dev/sdb x"],
  ['vault operator unseal ', 'Falcon-River-42', ''],
  ['openssl dgst -sha256 -hmac "', 'Falcon-River-42', '" f'],
  ['user app on ~* +@all >', 'Falcon-River-42', ''],
  ['expect -c \'send "', 'Falcon-River-42', '\\r"\''],
  ['impdp system/', 'Falcon-River-42', ' full=y'],
  ['restic --password-command "echo ', 'Falcon-River-42', '" backup'],
  ['yes "', 'Falcon-River-42', '" | passwd'],
  ["('", 'Falcon-River-42', "' | ConvertTo-SecureString -AsPlainText -Force)"],
  ['curl -u ', chars(32), ': https://api.example.org'],
  ['nuget setApiKey ', 'ab12cd34-1234-4abc-8def-0123456789ab', ''],
  ['etcdctl --user root:', 'Falcon-River-42', ' get /'],
  ["lftp -u ada,'", 'Falcon-River-42', "' ftp.example.org"],
  ["sqlplus app/'", chars(40), "'@//db:1521/XE"],
  ["vault login '", 'Falcon@River42', "'"],
  ['aws configure set aws_secret_access_key ', 'Falcon-River-42', ''],
  ['dotnet nuget push a.nupkg -k "', 'Falcon-River-42', '" -s x'],
  ["net use Z: \\\\srv\\s '", `${chars(20)}+/ab==`, "' /user:ada"],
])('finds the password of a command: %s', (before, password, after) => {
  expect(redact(`${before}${password}${after}`)).toBe(`${before}[secret:password]${after}`);
});

it.each([
  ['bob : EAP "', 'Falcon-River-42', '"'],
  ['DRIVER={ODBC Driver 18};SERVER=h;UID=sa;PWD={', 'Falcon-River-42', '};DATABASE=d'],
  ['BUNDLE_GEMS__EXAMPLE__COM: "bob:', 'Falcon-River-42', '"'],
  ['{"github-oauth":{"github.com":"', chars(40), '"}}'],
  ['gh secret set NAME --body "', 'Falcon-River-42', '"'],
  ['fly secrets set A=', 'Falcon-River-42', ''],
  ['sonar.login=', '0123456789abcdef'.repeat(2), ''],
  ['snmp community ', 'G2OSV5RwCqQ1', ' ro'],
  ['radius-server host 10.0.0.1 key ', 'G2OSV5RwCqQ1', ''],
  ["My PIN's ", '8792', ', as always'],
  ['     7→@db_pass "', 'Falcon-River-42', '"'],
  ['+setenv LICENSE_KEY ', chars(32), ''],
  ['app.yml:3:- name: API_TOKEN\napp.yml:4:  value: "', chars(32), '"'],
  ['+Your new token is:\n+\n+    ', chars(32), ''],
  ['SECRET1=', 'Falcon-River-42', ''],
  ['client_secret_basic: ', chars(40), ''],
  ['pincode: ', '8992', ''],
  ['REDIS_AUTH=', 'z6cxrfNxe99', ''],
  ['    dns cloudflare ', chars(40), '\n'],
  ['@db_pass "', 'Falcon-River-42', '"'],
  ['api_key =\n    "', chars(32), '"'],
  ['"password" :\n  "', 'Falcon-River-42', '"'],
  ['{"pin": "', '981203', '"}'],
  ['password: "', 'correct horse battery staple', '"'],
  ['the password is ', `${word('hunter')}2`, ''],
  ['Unseal Key 1: ', `${chars(43)}=`, ''],
  ['Authorization: Digest username="bob", realm="x", response="', '0123456789abcdef'.repeat(2), '"'],
  ['https://example.org/callback?state=x&code=', chars(60), '&scope=email'],
  ['https://example.org/reset-password/', chars(40), ''],
  ['signingConfigs { release { storePassword "', 'Falcon-River-42', '" } }'],
  [':secret_key_base, "', chars(40), '"'],
  ['WEATHER_KEY = "', '0123456789abcdef'.repeat(2), '"'],
  ["const rollbarKey = '", '0123456789abcdef'.repeat(2), "';"],
  ['- key: ADMIN_PASSWORD\n  scope: all\n  value: ', chars(24), ''],
  ['{"key":"db_password","type":"string","secure":"yes","value":"', 'Falcon-River-42', '"}'],
  ['**Password**: ||', chars(24), '||'],
  ['["password"]=>\n  string(14) "', 'Falcon-River-42', '"'],
  ['key;value\ndb_password;', 'FalconRiver42', '\n'],
  ['║ password ║ ', 'FalconRiver42', ' ║'],
  ['Pass = <<"', 'Falcon-River-42', '">>'],
  ['password: ', 'BvZCvCCVYSAj', ''],
  ['secret_key: ', 'FalconRiver42?', ''],
  ['firebase deploy --token ', 'qJZJSDkRZyc3', ''],
  ['curl -H "Authorization: Bearer ', 'FalconRiver42!', '" https://example.org'],
  ['hashlib.sha256("', 'FalconRiver42!', '".encode())'],
])('finds a value with a name of its own: %s', (before, secret, after) => {
  const value = redact(`${before}${secret}${after}`);
  expect(value.startsWith(`${before}[secret:`)).toBe(true);
  expect(value.endsWith(`]${after}`)).toBe(true);
});

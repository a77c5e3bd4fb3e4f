import { AN, BASE64, HEX, LOWER_AN, type Random, W } from './random.ts';
import { type Make, VENDOR_SECRETS } from './vendor-secrets.ts';

/** A text with a secret in it, and what must not be read afterwards. */
export interface Planted {
  readonly id: string;
  readonly text: string;
  readonly secret: string;
}

/** Keeps the marker of a key apart, so that no scanner takes this file for one. */
const KEY = ['PRIVATE', 'KEY'].join(' ');
const IN_URL: Readonly<Record<string, string>> = {
  'Slack webhook': 'https://hooks.slack.com/services/',
  Teams: 'https://acme.webhook.office.com/',
};

/** Every form, alone, in prose, and where people leave them. */
export function plantVendors(random: Random): readonly Planted[] {
  const places = [
    (secret: string) => `the key is ${secret} for now`,
    (secret: string) => `const client = connect('${secret}', 3);`,
    (secret: string) => `{"a":1,"b":"${secret}"}`,
    (secret: string) => `first\n${secret}\nlast`,
  ];
  return Object.entries(VENDOR_SECRETS).map(([id, make]) => {
    const secret = make(random);
    return { id, secret, text: random.pick(places)(`${IN_URL[id] ?? ''}${secret}`) };
  });
}

const VENDOR_NAMES =
  `ADAFRUIT ALGOLIA ASANA ATLASSIAN BITBUCKET CODECOV COHERE COINBASE CONFLUENT CONTENTFUL DATADOG DISCORD
  DROPBOX FASTLY HUBSPOT INTERCOM JFROG LAUNCHDARKLY MAPBOX NETLIFY NEW_RELIC OKTA PLAID SNYK SONAR SUPABASE SUMO TRAVIS
  TWITCH TWITTER VERCEL YANDEX ZENDESK STAGING_DB ACME`.split(/\s+/);
const ENDS = [
  'API_KEY',
  'SECRET',
  'TOKEN',
  'ACCESS_TOKEN',
  'SECRET_KEY',
  'KEY',
  'AUTH_TOKEN',
  'CLIENT_SECRET',
  'API_TOKEN',
];
const PASSWORD_NAMES = [
  'SMTP_PASS',
  'MYSQL_PWD',
  'PGPASSWORD',
  'DB_PASSWORD',
  'REDIS_PASSWORD',
  'ADMIN_PASS',
  'FTP_PASSWD',
  'KEYSTORE_PASSPHRASE',
];
const WORDS = ['maple', 'river', 'copper', 'lantern', 'orbit', 'thistle', 'walnut', 'harbor', 'saffron', 'pebble'];

/** What a program made. */
export const makeToken: Make = (r) =>
  r.pick([
    () => r.chars(AN, 20 + r.int(30)),
    () => r.chars(HEX, r.pick([32, 40, 64])),
    () => r.chars(BASE64, 40),
    () => `/${r.chars(BASE64, 39)}`,
    () => `${r.chars(HEX, 8)}-${r.chars(HEX, 4)}-4${r.chars(HEX, 3)}-a${r.chars(HEX, 3)}-${r.chars(HEX, 12)}`,
    () => `test_${r.chars(AN, 24)}`,
    () => `fake-${r.chars(LOWER_AN, 24)}`,
    () => `my-${r.chars(LOWER_AN, 20)}`,
  ])();

/** What a person chose. */
export const makePassword: Make = (r) =>
  r.pick([
    () => `${r.pick(WORDS)}-${r.pick(WORDS)}-${r.int(90) + 10}`,
    () => `${r.pick(WORDS)}${r.int(9000) + 1000}!`,
    () => `test${r.pick(WORDS)}${r.int(90) + 10}`,
    () => `none0f${r.pick(WORDS)}${r.int(9)}`,
    () => `$${r.pick(WORDS)}#${r.int(90) + 10}`,
    () => `my-${r.pick(WORDS)}-${r.int(900) + 100}`,
    () => r.chars(`${AN}!@#%^*_+-`, 16),
    () => `P@${r.pick(WORDS)}${r.int(90) + 10}`,
  ])();

type Plant = (random: Random) => Omit<Planted, 'id'>;
const around =
  (make: Make, place: (secret: string, random: Random) => string): Plant =>
  (random) => {
    const secret = make(random);
    return { secret, text: place(secret, random) };
  };
const tokenName = (r: Random) => `${r.pick(VENDOR_NAMES)}_${r.pick(ENDS)}`;
const passwordName = (r: Random) => r.pick(PASSWORD_NAMES);
const camel = (name: string) => name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export const ASSIGNMENTS: Readonly<Record<string, Plant>> = {
  'env token': around(makeToken, (s, r) => `PORT=3000\n${tokenName(r)}=${s}\nDEBUG=1`),
  'env password': around(makePassword, (s, r) => `PORT=3000\n${passwordName(r)}=${s}\nDEBUG=1`),
  'quoted env': around(makePassword, (s, r) => `${passwordName(r)}="${s}"`),
  export: around(makeToken, (s, r) => `export ${tokenName(r)}='${s}' && npm start`),
  'before a command': around(makePassword, (s, r) => `${passwordName(r)}=${s.replaceAll(/[#!$]/g, 'x')} psql -h db`),
  'docker -e': around(makeToken, (s, r) => `docker run -e ${tokenName(r)}=${s} -p 80:80 web`),
  JSON: around(makeToken, (s, r) => `{"${camel(tokenName(r))}": "${s}", "port": 1}`),
  'JSON password': around(makePassword, (s) => `{"user":"ada","password":"${s}"}`),
  YAML: around(makeToken, (s, r) => `services:\n  ${tokenName(r).toLowerCase()}: ${s}\n  port: 1`),
  'YAML password': around(makePassword, (s) => `db:\n  user: ada\n  password: "${s}"\n`),
  'YAML pair': around(makeToken, (s, r) => `env:\n  - name: ${tokenName(r)}\n    value: ${s}\n`),
  'JSON pair': around(makeToken, (s, r) => `{"name":"${tokenName(r)}","value":"${s}"}`),
  TOML: around(makeToken, (s, r) => `[auth]\n${tokenName(r).toLowerCase()} = "${s}"\n`),
  ini: around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `[client]\nuser=root\npassword=${s}\n`,
  ),
  'AWS credentials': around(
    (r) => r.pick(['/', '+', 'a']) + r.chars(BASE64, 39),
    (s) => `[default]\naws_secret_access_key = ${s}\nregion = eu-west-1`,
  ),
  'AWS env': around(
    (r) => r.pick(['/', '+', 'a']) + r.chars(BASE64, 39),
    (s) => `AWS_SECRET_ACCESS_KEY=${s}`,
  ),
  code: around(makeToken, (s, r) => `const ${camel(tokenName(r))} = "${s}";`),
  'typed code': around(makeToken, (s, r) => `const ${camel(tokenName(r))}: string = '${s}';`),
  'code default': around(makeToken, (s, r) => `const ${camel(tokenName(r))} = process.env.X ?? '${s}';`),
  python: around(makePassword, (s) => `conn = connect(host="db", password="${s}", port=1)`),
  'python getenv': around(makeToken, (s, r) => `x = os.getenv("${tokenName(r)}", "${s}")`),
  php: around(makePassword, (s) => `define('DB_PASSWORD', '${s}');`),
  ruby: around(makePassword, (s) => `config = { :password => '${s}' }`),
  properties: around(makePassword, (s) => `spring.datasource.password=${s}\n`),
  XML: around(makePassword, (s) => `<server><id>a</id><password>${s}</password></server>`),
  NuGet: around(makePassword, (s) => `<add key="ClearTextPassword" value="${s}" />`),
  header: around(makeToken, (s) => `X-Api-Key: ${s}\nAccept: */*`),
  'authorization token': around(
    (r) => r.chars(AN, 40),
    (s) => `Authorization: token ${s}`,
  ),
  'authorization bearer': around(
    (r) => r.chars(AN, 40),
    (s) => `"Authorization": "Bearer ${s}"`,
  ),
  'authorization raw': around(
    (r) => r.chars(HEX, 40),
    (s) => `authorization: ${s}`,
  ),
  query: around(makeToken, (s) => `GET /v1/items?page=2&api_key=${encodeURIComponent(s)}&sort=asc`),
  cookie: around(
    (r) => r.chars(AN, 32),
    (s) => `Cookie: theme=dark; session_id=${s}; lang=en`,
  ),
  'set-cookie': around(
    (r) => r.chars(AN, 32),
    (s) => `Set-Cookie: connect.sid=${s}; Path=/; HttpOnly`,
  ),
  'connection URL': around(
    makePassword,
    (s) => `postgres://app:${s.replaceAll(/[#@$%^]/g, '_')}@db.internal:5432/shop`,
  ),
  'token URL': around(
    (r) => r.chars(AN, 30),
    (s) => `git clone https://${s}@git.example.com/a/b.git`,
  ),
  'connection string': around(makePassword, (s) => `Server=tcp:db,1433;User ID=app;Password=${s};Encrypt=true`),
  'storage key': around(
    (r) => `${r.chars(BASE64, 86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=x`,
  ),
  'shared signature': around(
    (r) => r.chars(AN, 43),
    (s) => `BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sv=2020-08-04&ss=b&sig=${s}`,
  ),
  markdown: around(makePassword, (s) => `- **Password**: \`${s}\``),
  PowerShell: around(makeToken, (s, r) => `$env:${tokenName(r)} = "${s}"`),
  'cmd set': around(makeToken, (s, r) => `set ${tokenName(r)}=${s}`),
  setx: around(makeToken, (s, r) => `setx ${tokenName(r)} ${s}`),
  fish: around(makeToken, (s, r) => `set -gx ${tokenName(r)} ${s}`),
  'shell default': around(makeToken, (s, r) => `: "\${${tokenName(r)}:-${s}}"`),
  'GitHub Actions': around(makeToken, (s, r) => `        env:\n          ${tokenName(r)}: ${s}\n        run: npm test`),
};

export const COMMANDS: Readonly<Record<string, Plant>> = {
  'curl -u': around(makePassword, (s) => `curl -s -u ada:'${s}' https://api.example.com`),
  'curl --user': around(makePassword, (s) => `curl --user "ada:${s}" https://api.example.com`),
  'curl -H': around(makeToken, (s) => `curl -H "X-Auth-Token: ${s}" https://api.example.com`),
  'curl -b': around(
    (r) => r.chars(AN, 30),
    (s) => `curl -b "sid=${s}" https://api.example.com`,
  ),
  'mysql -p': around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `mysql -h db -u root -p${s} shop`,
  ),
  'mysqldump -p': around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `mysqldump -uroot -p'${s}' shop > a.sql`,
  ),
  PGPASSWORD: around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `PGPASSWORD=${s} psql -h db`,
  ),
  sshpass: around(makePassword, (s) => `sshpass -p '${s}' ssh ada@host`),
  'docker login': around(makePassword, (s) => `docker login -u ada -p '${s}' registry.example.com`),
  'docker login long': around(makePassword, (s) => `docker login --username ada --password "${s}" ghcr.io`),
  'docker login stdin': around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `echo ${s} | docker login -u ada --password-stdin`,
  ),
  openssl: around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `openssl rsa -in key.pem -passin pass:${s} -out x`,
  ),
  'openssl out': around(makePassword, (s) => `openssl enc -aes-256-cbc -pass "pass:${s}" -in a`),
  'redis-cli': around(makePassword, (s) => `redis-cli -h cache -a '${s}' ping`),
  mongo: around(makePassword, (s) => `mongosh --host db -u ada -p '${s}'`),
  sqlcmd: around(makePassword, (s) => `sqlcmd -S db -U sa -P '${s}'`),
  ldapsearch: around(makePassword, (s) => `ldapsearch -x -D cn=admin -w '${s}' -b dc=x`),
  keytool: around(makePassword, (s) => `keytool -list -keystore a.jks -storepass '${s}'`),
  'flag token': around(makeToken, (s) => `vercel deploy --token ${s} --prod`),
  'flag api-key': around(makeToken, (s) => `tool --api-key=${s} run`),
  'flag secret': around(makeToken, (s) => `aws-tool --secret-key ${s} run`),
  'aws configure': around(
    (r) => `/${r.chars(BASE64, 39)}`,
    (s) => `aws configure set aws_secret_access_key ${s}`,
  ),
  'npm config': around(makeToken, (s) => `npm config set //registry.example.org/:_authToken ${s}`),
  'gh secret': around(makeToken, (s, r) => `gh secret set ${tokenName(r)} --body "${s}"`),
  kubectl: around(makePassword, (s) => `kubectl create secret generic db --from-literal=password='${s}'`),
  'helm --set': around(makePassword, (s) => `helm install x ./chart --set auth.password='${s}'`),
  sql: around(makePassword, (s) => `CREATE USER app WITH PASSWORD '${s}';`),
  'sql mysql': around(makePassword, (s) => `CREATE USER 'app'@'%' IDENTIFIED BY '${s}';`),
  zip: around(makePassword, (s) => `zip -r -P '${s}' a.zip dir`),
  gpg: around(makePassword, (s) => `gpg --batch --passphrase '${s}' -d a.gpg`),
  httpie: around(makePassword, (s) => `http -a ada:'${s}' example.com`),
  requests: around(makePassword, (s) => `requests.get(url, auth=("ada", "${s}"))`),
};

const encodePair = (secret: string) => Buffer.from(`ada:${secret}`).toString('base64');

export const FILES: Readonly<Record<string, Plant>> = {
  netrc: around(makePassword, (s) => `machine api.example.com login ada password ${s}\n`),
  'netrc lines': around(
    makePassword,
    (s) => `machine api.example.com\n  login ada\n  password ${s}\nmachine b.example\n`,
  ),
  pgpass: around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `db.internal:5432:shop:app:${s}\n`,
  ),
  'pgpass any': around(
    (r) => `${r.pick(WORDS)}${r.int(900) + 100}`,
    (s) => `*:*:*:postgres:${s}\n`,
  ),
  npmrc: around(makeToken, (s) => `registry=https://r.example/\n//r.example/:_authToken=${s}\n`),
  'npmrc auth': around(
    (r) => encodePair(r.chars(AN, 12)),
    (s) => `//r.example/:_auth=${s}\n`,
  ),
  docker: around(
    (r) => encodePair(r.pick(WORDS) + r.int(99)),
    (s) => `{"auths":{"ghcr.io":{"auth":"${s}"}}}`,
  ),
  'docker pretty': around(
    (r) => encodePair(r.chars(AN, 12)),
    (s) => `{\n\t"auths": {\n\t\t"ghcr.io": {\n\t\t\t"auth": "${s}"\n\t\t}\n\t}\n}`,
  ),
  kubernetes: around(
    (r) => Buffer.from(r.pick(WORDS) + r.int(99)).toString('base64'),
    (s) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  url: ${s}\n`,
  ),
  'kubernetes before': around(
    (r) => Buffer.from(r.chars(AN, 9)).toString('base64'),
    (s) => `apiVersion: v1\ndata:\n  other: ${s}\nkind: Secret\n`,
  ),
  'kubernetes json': around(
    (r) => Buffer.from(r.chars(AN, 9)).toString('base64'),
    (s) => `{"kind":"Secret","data":{"url":"${s}"}}`,
  ),
  'git credentials': around(
    (r) => r.chars(AN, 30),
    (s) => `https://ada:${s}@git.example.com\n`,
  ),
  pypirc: around(makePassword, (s) => `[pypi]\nusername = ada\npassword = ${s.startsWith('$') ? 'x1' : ''}${s}\n`),
  'my.cnf': around(makePassword, (s) => `[client]\nuser=ada\npassword="${s}"\n`),
  'service account': around(
    (r) => `-----BEGIN ${KEY}-----\\n${r.chars(BASE64, 64)}\\n${r.chars(BASE64, 40)}\\n-----END ${KEY}-----\\n`,
    (s) => `{"type":"service_account","private_key":"${s}"}`,
  ),
  'Rails credentials': around(
    (r) => r.chars(HEX, 128),
    (s) => `production:\n  secret_key_base: ${s}\n`,
  ),
  Laravel: around(
    (r) => `${r.chars(BASE64, 43)}=`,
    (s) => `APP_NAME=x\nAPP_KEY=base64:${s}\n`,
  ),
  Django: around(
    (r) => `django-insecure-${r.chars(`${LOWER_AN}!@$%^&*(-_=+)`, 50)}`,
    (s) => `SECRET_KEY = '${s}'\n`,
  ),
  PuTTY: (r) => {
    const secret = r.chars(BASE64, 64);
    return {
      secret,
      text: `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\n${r.chars(BASE64, 64)}\nPrivate-Lines: 1\n${secret}\nPrivate-MAC: ${r.chars(HEX, 64)}\n`,
    };
  },
  JWK: around(
    (r) => r.chars(W, 43),
    (s) => `{"kty":"EC","crv":"P-256","x":"abc","d":"${s}"}`,
  ),
  '.env in base64': (r) => {
    const secret = Buffer.from(
      `NODE_ENV=production\nPORT=3000\nAPI_KEY=${r.chars(AN, 32)}\nDB_PASSWORD=${r.chars(AN, 14)}\n`,
    ).toString('base64');
    return { secret: secret.slice(0, 60), text: `$ base64 .env\n${secret.replaceAll(/.{76}/g, '$&\n')}\n` };
  },
};

export function plantAll(table: Readonly<Record<string, Plant>>, random: Random): readonly Planted[] {
  return Object.entries(table).map(([id, plant]) => ({ id, ...plant(random) }));
}

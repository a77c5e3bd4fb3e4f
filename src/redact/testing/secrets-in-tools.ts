import type { Disguised } from './disguises.ts';
import { AN, BASE64, base64, base64Url, HEX, LOWER_AN, type Random, uuid, W } from './random.ts';

/*
 * Secrets in connection strings, headers, cookies, code and files of tools, written from experience with those tools.
 * In their first run the redactor missed one in six.
 */

type Make = (r: Random) => readonly [text: string, ...secrets: string[]];
const password = (r: Random) => `${r.chars(AN, 9)}7q`;
const token = (r: Random) => `${r.chars(AN, 30)}7q`;

/** A password or a token, and the text around it. */
const around =
  (before: string, after = '', make: (r: Random) => string = password): Make =>
  (r) => {
    const secret = make(r);
    return [`${before}${secret}${after}`, secret];
  };
const tokenIn = (before: string, after = ''): Make => around(before, after, token);

const KEY_LINES = (r: Random) => [r.chars(BASE64, 64), r.chars(BASE64, 64), `${r.chars(BASE64, 34)}==`];
/** A private key, written by a program in its own way. */
const keyIn =
  (write: (lines: readonly string[]) => string): Make =>
  (r) => {
    const lines = KEY_LINES(r);
    return [write(['-----BEGIN EC PRIVATE KEY-----', ...lines, '-----END EC PRIVATE KEY-----']), ...lines];
  };
/** A GitHub token in two parts. */
const splitToken =
  (join: (start: string, end: string) => string): Make =>
  (r) => {
    const end = r.chars(AN, 22);
    return [join(`ghp_${r.chars(AN, 14)}`, end), end];
  };

const CONNECTIONS: Readonly<Record<string, Make>> = {
  'PostgreSQL URL': around('postgresql://svc_app:', '@db-1.internal:5432/app?sslmode=require'),
  'MongoDB URL': around('mongodb+srv://root:', '@cluster0.ab1cd.mongodb.net/?retryWrites=true'),
  'Redis URL': around('redis://:', '@10.0.0.4:6379/0'),
  'AMQP URL': around('amqps://u:', '@rabbit/vhost'),
  'SQL Server': around('Server=tcp:x.example,1433;Initial Catalog=app;User ID=sa;Password=', ';Encrypt=True;'),
  ODBC: around('Driver={ODBC Driver 18};Server=db;UID=sa;PWD=', ';'),
  libpq: around('host=db user=app password=', ' dbname=x'),
  'MySQL in Go': around('app:', '@tcp(127.0.0.1:3306)/shop?parseTime=true'),
  JDBC: around('jdbc:mysql://db/shop?user=app&password=', '&useSSL=false'),
  SQLAlchemy: around('create_engine("mysql+pymysql://app:', '@db/shop")'),
  'Sentry DSN': around(`https://${'0a1b2c3d'.repeat(4)}:`, '@o1.ingest.sentry.io/1', (r) => r.chars(HEX, 32)),
};

const HEADERS: Readonly<Record<string, Make>> = {
  cookie: tokenIn('Cookie: theme=dark; connect.sid=s%3A', '.x; _ga=GA1.2'),
  'set-cookie': tokenIn('< set-cookie: session=', '; Path=/; HttpOnly'),
  'curl with a header': tokenIn("curl -H 'Authorization: Bearer ", "' https://api.example/v1"),
  'curl in JSON': tokenIn('"command":"curl -H \\"X-Api-Key: ', '\\" https://a"'),
  'curl with a token': tokenIn('curl --oauth2-bearer ', ' https://a'),
  'curl with a user': around('curl -u admin:', ' https://a'),
  'token scheme': around('Authorization: token ', '', (r) => r.chars(HEX, 40)),
  'GitLab header': tokenIn('PRIVATE-TOKEN: '),
  basic: around('Authorization: Basic ', '', (r) => base64(`ada:${password(r)}`)),
  'basic for a proxy': around('Proxy-Authorization: Basic ', '', (r) => base64(`ada:${password(r)}`)),
  'Python headers': tokenIn('headers = {"Authorization": f"Bearer ', '"}'),
  'token in a query': tokenIn('https://x.example/cb?access_token=', '&state=1'),
  'refresh token in a form': tokenIn('grant_type=refresh_token&refresh_token=', '&client_id=x'),
  'signed URL of Google': around('https://storage.example/k?X-Goog-Signature=', '', (r) => r.chars(HEX, 256)),
  'signed URL of CloudFront': around('https://d.example/a?Expires=1&Signature=', '__&Key-Pair-Id=K1', (r) =>
    r.chars(W, 340),
  ),
  'token of a service account': around('kubectl --token=', ' get po', (r) =>
    [base64Url('{"alg":"RS256","kid":"x"}'), base64Url('{"iss":"kubernetes/serviceaccount"}'), r.chars(AN, 342)].join(
      '.',
    ),
  ),
  'Twitch chat': around('PASS oauth:', '', (r) => `${r.chars(LOWER_AN, 29)}7`),
};

const FILES: Readonly<Record<string, Make>> = {
  'Docker config': around('{"auths":{"ghcr.io":{"auth":"', '"}}}', (r) => base64(`ada:${password(r)}`)),
  environment: tokenIn('PORT=1\nSESSION_SECRET=', '\nDEBUG=1'),
  'environment with spaces': around("DB_PASS='my old pw ", "'"),
  netrc: around('machine api.example.com login ada password '),
  'netrc in lines': around('machine api.example.com\n  login ada\n  password ', '\n'),
  pgpass: around('db.internal:5432:shop:ada:'),
  htpasswd: around('ada:', '', (r) => `$apr1$${r.chars(AN, 8)}$${r.chars(AN, 22)}`),
  'git credentials': tokenIn('https://ada:', '@github.com'),
  npmrc: around('//registry.example/:_authToken=', '', uuid),
  'Kubernetes secret': around('apiVersion: v1\nkind: Secret\ndata:\n  pw: ', '\n', (r) => base64(password(r))),
  WireGuard: around('[Interface]\nPrivateKey = ', '\nAddress = 10.0.0.2/32', (r) => `${r.chars(BASE64, 42)}E=`),
  'Terraform state': around('"password": {"value": "', '", "sensitive": true}'),
  'Terraform variable': around('variable "db_password" {\n  type      = string\n  default   = "', '"\n}'),
  'one-time password': around('otpauth://totp/Acme:ada?secret=', '&issuer=Acme', (r) =>
    r.chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32),
  ),
  'Ethereum key': around('PRIVATE_KEY=0x', '', (r) => r.chars(HEX, 64)),
  'seed phrase': around(
    'mnemonic: "',
    ' lottery sugar mobile ketchup dragon window paddle orbit canyon copper"',
    (r) => ['ripple vapor', 'basket thumb', 'velvet onion'][r.int(3)] ?? '',
  ),
  'Maven settings': around('<server><id>x</id><username>ada</username><password>', '</password></server>'),
  'SQL statement': around("ALTER USER app WITH PASSWORD '", "';"),
  'GitHub Actions': tokenIn('echo "::add-mask::', '"'),
  Convex: around('CONVEX: prod:happy-otter-123|', '', (r) => `${r.chars(AN, 86)}==`),
  sentence: around('the password is ', ', please use it'),
};

const WRITTEN: Readonly<Record<string, Make>> = {
  'key in JSON': keyIn((lines) => JSON.stringify({ private_key: lines.join('\n') })),
  'key in JSON in JSON': keyIn((lines) => JSON.stringify({ a: JSON.stringify({ private_key: lines.join('\n') }) })),
  'key with CRLF': keyIn((lines) => `KEY="${lines.join('\\r\\n')}"`),
  'key on one line': keyIn((lines) => lines.join(' ')),
  'key as a list': keyIn((lines) => lines.map((line) => `    "${line}\\n"`).join('\n')),
  'key joined in code': keyIn((lines) => lines.map((line) => `  '${line}\\n' +`).join('\n')),
  'token over two lines': splitToken((start, end) => `${start}\n${end}`),
  'token joined in code': splitToken((start, end) => `const t = '${start}' + '${end}';`),
  'token joined over two lines': splitToken((start, end) => `const t = "${start}" +\n    "${end}";`),
  'token after a backslash': splitToken((start, end) => `export T="${start}\\\n${end}"`),
};

const plant =
  (forms: Readonly<Record<string, Make>>) =>
  (r: Random): readonly Disguised[] =>
    Object.entries(forms).map(([id, make]) => {
      const [text, ...secrets] = make(r);
      return { id, text, secrets };
    });

/** All generators, by class. */
export const SECRETS_IN_TOOLS: Readonly<Record<string, (random: Random) => readonly Disguised[]>> = {
  connections: plant(CONNECTIONS),
  headers: plant(HEADERS),
  files: plant(FILES),
  'written in code': plant(WRITTEN),
};

import { expect, it } from 'vitest';
import { redact, redactor } from './testing/redactor.ts';
import { chars } from './testing/secrets.ts';

it.each([
  'commit 8f14e45fceea167a5a36dedd4bea2543c1f0d2e1',
  '"integrity": "sha512-9f4JQ0mS8ZzW1nq7Yb2tV5x3Lk6PpR8sT0uVwXyZ1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ=="',
  'session 3f2a91c0-1234-4abc-8def-0123456789ab',
  'const token = getToken();',
  'password: string;',
  'token: process.env.TOKEN,',
  'DATABASE_PASSWORD=$DB_PASSWORD',
  'api_key = os.environ["API_KEY"]',
  'API_KEY=your-api-key-here-1234',
  'max_tokens: 4096, tokens_in=123456',
  'cache_key = 0123456789abcdef0123456789abcdef',
  'the secret: never give up',
  'tokenizer.encode(text)',
  'if (secret == other.secret) return',
  'https://example.com:8080/@scope/name',
  'ssh git@github.com:ada/shop.git',
  'Bearer authentication-is-described-below',
  'Basic understanding',
  'src/token-bucket.test.ts:12:5',
  'A password is asked for: type it.',
])('J5: does not change %s', (text) => {
  expect(redactor.text(text)).toEqual({ value: text, replaced: new Map() });
});

// Finding 5.2: values that only start like a placeholder.
it.each([
  ['SMTP_PASS=testing123', 'SMTP_PASS=[secret:password]'],
  ['MYSQL_PWD=none-of-it', 'MYSQL_PWD=[secret:password]'],
  [`API_KEY=fake_${chars(20)}`, 'API_KEY=[secret:assigned-secret]'],
  ['SESSION_SECRET=my-super-secret-value', 'SESSION_SECRET=[secret:assigned-secret]'],
  ['DB_PASSWORD=$ecr3t#42', 'DB_PASSWORD=[secret:password]'],
  [`aws_secret_access_key = /${chars(39)}`, 'aws_secret_access_key = [secret:assigned-secret]'],
  ['curl -u ada:lovelace1 https://x.example', 'curl -u ada:[secret:password] https://x.example'],
  ['mysql -u root -plovelace1 shop', 'mysql -u root -p[secret:password] shop'],
  ['machine x login ada password lovelace1', 'machine x login ada password [secret:password]'],
  ['db.example:5432:shop:ada:lovelace1', 'db.example:5432:shop:ada:[secret:password]'],
  ['Cookie: lang=en; sid=s0meSess1on', 'Cookie: lang=en; sid=[secret:cookie]'],
  ['{"auth": "YWRhOmxvdmVsYWNl"}', '{"auth": "[secret:token]"}'],
  [`mcp__server__ghp_${chars(36)}`, 'mcp__server__[secret:github-token]'],
  [`{\\"a\\":\\"x\\\\nghp_${chars(36)}\\"}`, '{\\"a\\":\\"x\\\\n[secret:github-token]\\"}'],
  [`a%3Dghp_${chars(36)}%26`, 'a%3D[secret:github-token]%26'],
])('replaces the secret in %s', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

it.each([
  'DB_PASSWORD=$DB_PASSWORD',
  'DB_PASSWORD=${DB_PASSWORD}',
  'DB_PASSWORD=<your-password>',
  'API_KEY=xxxxxxxxxxxxxxxx',
  'API_KEY=****************',
  'API_KEY=...',
  'TOKEN=$(cat token.txt)',
  'PASSWORD_FILE=/run/secrets/db_password',
  'PWD=/srv/shop/src1',
  '--- PASS: TestLogin/case_12 (0.00s)',
  'ssh -p 2222 host && mkdir -p a1b2c3d4e5',
  'docker run -p 8080:80 nginx1234',
  'git push -u origin:main',
  'secret: Uint8Array',
  'const nextToken = page2.nextToken;',
  'The file begins with -----BEGIN PRIVATE KEY----- and a line end.',
  '-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END CERTIFICATE-----',
  'https://x.example/a?page_token=abc123def456ghi789',
  'file.ts:12:5:name:value',
])('does not change %s', (text) => {
  expect(redactor.text(text)).toEqual({ value: text, replaced: new Map() });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';
import { COMMAND_LINES } from './command-lines.ts';
import { PROTOCOLS } from './protocols.ts';
import { plantVendors } from './testing/planted.ts';
import { AN, createRandom } from './testing/random.ts';
import { VENDOR_FORMATS } from './vendor-formats.ts';
import { CANARIES, chars, hex, PEM, SECRETS, upper, word } from './testing/secrets.ts';
import { scaled } from '../../test/support/sizes.ts';

const redactor = createRedactor({ homes: ['/srv/people/ada'] });
const redact = (text: string) => redactor.text(text).value;
const SEEDS = [1, 2, 3, 4, 5];

describe('redact', () => {
  it('has an example of every rule', () => {
    const texts = [...CANARIES, ...SEEDS.flatMap((seed) => plantVendors(createRandom(seed)))].map(({ text }) => text);
    const found = new Set(texts.flatMap((text) => [...redactor.text(text).replaced.keys()]));
    expect(VENDOR_FORMATS.map(({ kind }) => kind).filter((kind) => !found.has(kind))).toEqual([]);
  });

  it('J6: no rule has an unbounded repetition', () => {
    const rules = [...VENDOR_FORMATS, ...PROTOCOLS, ...COMMAND_LINES].map(({ pattern }) => pattern.source);
    expect(
      rules.map((source) => source.replaceAll(/\\.|\[[^\]]*\]/g, 'c')).filter((source) => /[*+]|\{\d+,\}/.test(source)),
    ).toEqual([]);
  });

  it.each(CANARIES)('J1: removes a $kind completely', ({ kind, text, secret }) => {
    const { value, replaced } = redactor.text(`before ${text} after`);
    expect(value).not.toContain(secret);
    expect([...replaced.keys()]).toEqual([kind]);
  });

  it.each(SECRETS)('J1: recognises %s by its format', (kind, secret) => {
    const { value, replaced } = redactor.text(`before ${secret} after`);
    expect(value).toBe(`before [secret:${kind}] after`);
    expect([...replaced]).toEqual([[kind, 1]]);
  });

  it.each(SECRETS)('J1: finds %s in every typical place', (_, secret) => {
    const places = [
      `export THING=${secret}`,
      `"thing": "${secret}"`,
      `{\\"thing\\":\\"${secret}\\"}`,
      `curl -H 'X-Thing: ${secret}' https://example.com/?a=1&k=${secret}&b=2`,
      `(${secret})`,
      `first line\n${secret}\nlast line`,
    ];
    for (const place of places) expect(redact(place), place).not.toContain(secret);
  });

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

  it('finds the start of a token in a truncated text', () => {
    const head = `ghp_${chars(36)}`.slice(0, 20);
    expect([redact(`use ${head}`), redact(`use ${head}…`), redact(`use ${head}...`)]).toEqual([
      'use [secret:github-token]',
      'use [secret:github-token]…',
      'use [secret:github-token]...',
    ]);
    expect(redact('use ghp_xxxxxxxxxxxx...')).toBe('use ghp_xxxxxxxxxxxx...');
  });

  // Finding 5.1
  it('finds a private key after the line numbers of Read', () => {
    const numbered = PEM.split('\n').map((line, n) => `${String(n + 1).padStart(6)}→${line}`);
    expect(redact(numbered.join('\n'))).toBe('     1→[secret:private-key]');
  });

  it('recognises JSON values by the names beside them', () => {
    const { value } = redactor.json({
      env: [
        { name: 'SMTP_PASS', value: 'lovelace' },
        { value: chars(20), key: 'API_KEY' },
      ],
      args: ['curl', '-u', 'ada:lovelace1', '--token', chars(20), 'https://x.example'],
      headers: { Authorization: `Token ${chars(20)}`, Accept: '*/*' },
      secret: { kind: 'Secret', data: { url: 'bG92ZWxhY2U=' } },
      image: { type: 'base64', media_type: 'image/png', data: `AA/${chars(40)}` },
      pwd: '/srv/shop',
      token: 'color.background',
    });
    expect(value).toEqual({
      env: [
        { name: 'SMTP_PASS', value: '[secret:password]' },
        { value: '[secret:assigned-secret]', key: 'API_KEY' },
      ],
      args: ['curl', '-u', 'ada:[secret:password]', '--token', '[secret:token]', 'https://x.example'],
      headers: { Authorization: '[secret:token]', Accept: '*/*' },
      secret: { kind: 'Secret', data: { url: '[secret:assigned-secret]' } },
      image: { type: 'base64', media_type: 'image/png', data: `AA/${chars(40)}` },
      pwd: '/srv/shop',
      token: 'color.background',
    });
  });

  it('replaces home directories by ~', () => {
    expect(redact('/Users/ada/shop/a.ts and /home/ada.b/x and C:\\Users\\ada\\y')).toBe('~/shop/a.ts and ~/x and ~\\y');
    expect(redact('cd /srv/people/ada/shop; ls /srv/people/adam')).toBe('cd ~/shop; ls /srv/people/adam');
    expect(redact('/home/ada')).toBe('~');
    expect(redact('https://example.com/home/ada')).toBe('https://example.com/home/ada');
  });

  it('J3: keeps the structure of JSON', () => {
    const secret = `ghp_${chars(36)}`;
    const { value, replaced } = redactor.json({ a: [secret, 1, null], password: 'hunter22', [secret]: { b: 'plain' } });
    expect(value).toEqual({
      a: ['[secret:github-token]', 1, null],
      password: '[secret:password]',
      '[secret:github-token]': { b: 'plain' },
    });
    expect([...replaced].toSorted()).toEqual([
      ['github-token', 2],
      ['password', 1],
    ]);
  });

  it('J3: any JSON keeps its shape', () => {
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === 'object' && value !== null
          ? Object.values(value).map(shape)
          : typeof value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { value: redacted } = redactor.json(value as never);
        expect(shape(JSON.parse(JSON.stringify(redacted)))).toEqual(shape(JSON.parse(JSON.stringify(value))));
      }),
    );
  });

  const secretOrGlue = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SECRETS.map(([, secret]) => secret), PEM, chars(40), hex(40)) },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        'password=',
        'TOKEN: ',
        '"secret":"',
        '"',
        "'",
        '://',
        'https://a:',
        '@',
        ' ',
        '\n',
        '/',
        '/home/ada',
        '/Users/',
        'Bearer ',
        'Basic ',
        '--password ',
        '=',
        ':',
        '\\"',
        '[secret:token]',
        '[secret:',
        ']',
        '~',
        '-----BEGIN ',
        'x',
        '.',
      ),
    },
    { weight: 1, arbitrary: fc.string() },
  );

  it('does not change a redacted text', () => {
    fc.assert(
      fc.property(fc.array(secretOrGlue, { maxLength: 12 }), (parts) => {
        const once = redact(parts.join(''));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('J1: removes a secret between any two words', () => {
    const word = fc.string().map((text) => text.replaceAll(/[\w-]/g, ''));
    fc.assert(
      fc.property(word, fc.constantFrom(...SECRETS), word, (before, [, secret], after) => {
        expect(redact(`${before} ${secret} ${after}`)).not.toContain(secret);
      }),
    );
  });

  /** Two megabytes with `TEST_SCALE=8`. */
  const CHARS = scaled(256 * 1024);
  it.each([
    ['key_'],
    ['password='],
    ['token:'],
    ['eyJ'],
    ['eyJaaaaaaaa.'],
    ['-----BEGIN RSA PRIVATE KEY-----'],
    ['-----BEGIN '],
    ['a://'],
    ['a:'],
    ['a://b:'],
    ['Bearer '],
    ['sk-'],
    ['ghp_'],
    ['/home/'],
    ['/home/a'],
    ['A'],
    ['aA0+/'],
    ['-'],
    ['.'],
    ['\\"'],
    ['secret"'],
    ['M'.repeat(26)],
    ['[secret:'],
    ['--password '],
    ['acme_'],
    ['=='],
  ])('J6: finishes on a long text of nothing but %j', (unit) => {
    const own = createRedactor({ patterns: ['acme_*_*_x'] });
    const text = unit.repeat(Math.ceil(CHARS / unit.length));
    expect(own.text(text).value.length).toBeGreaterThan(0);
  });

  it('J6: withholds and counts only the text that cannot be searched in time', () => {
    let nowMs = 0;
    const slow = createRedactor({ nowMs: () => (nowMs += 1) });
    const { value, replaced } = slow.json({ short: 'a word', long: 'word '.repeat(400_000), many: ['one', 'two'] });
    expect(value).toEqual({ short: 'a word', long: 'word '.repeat(400_000), many: ['one', 'two'] });
    expect(replaced).toEqual(new Map());
    let stepMs = 1;
    const stalled = createRedactor({ nowMs: () => (nowMs += stepMs) });
    stepMs = 100;
    expect(stalled.text(`token ${'x'.repeat(5_000)}`)).toEqual({
      value: '[removed: checking for secrets took too long]',
      replaced: new Map([['unscanned', 1]]),
    });
  });

  it('replaces texts configured by the user, with * as a wildcard', () => {
    const own = createRedactor({ patterns: ['acme_*', 'Project Bluebird', 'id-*-end'] });
    expect(own.text('acme_12 x acme_34, Project Bluebird id-77-end id-88').value).toBe(
      '[secret:own-pattern] x [secret:own-pattern] [secret:own-pattern] [secret:own-pattern] id-88',
    );
    expect(() => createRedactor({ patterns: ['*'] })).toThrow(/is too short/);
  });
});

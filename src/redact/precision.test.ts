import { expect, it } from 'vitest';
import { AN, BASE64, createRandom, HEX, LOWER_AN } from './testing/random.ts';
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
  'password=$PASSWORD&user=$USER',
  'const password = a & b;',
  'if (password && confirm !== password) return',
])('J5: does not change %s', (text) => {
  expect(redactor.text(text)).toEqual({ value: text, replaced: new Map() });
});

// Values that only start like a placeholder.
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

/** Values and names that resemble tokens of vendors; one of each, made from the same random numbers. */
function lookAlikes(): readonly string[] {
  const { chars: random } = createRandom(5);
  const hex = (length: number) => random(HEX, length);
  const base64 = (length: number) => random(BASE64, length);
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join('-');
  return [
    `"uuid":"${uuid()}","parentUuid":"${uuid()}"`,
    `x-request-id: ${uuid()}`,
    `index ${hex(7)}..${hex(7)} 100644`,
    `git rev-parse HEAD -> ${hex(40)}`,
    `https://github.com/x/y/blob/${hex(40)}/src/a.ts#L12-L20`,
    `${hex(64)}  dist/app.tgz`,
    `docker pull nginx@sha256:${hex(64)}`,
    `integrity sha1-${base64(27)}=`,
    `go.sum: github.com/x/y v1.2.3 h1:${base64(43)}=`,
    `resolved "https://registry.example/x/-/x-1.0.0.tgz#${hex(40)}"`,
    `checksum = "${hex(64)}"`,
    `data:image/png;base64,iVBORw0KGgo${base64(400)}`,
    `"thinking","signature":"EqQB${base64(300)}"`,
    `class="css-${random(LOWER_AN, 6)} flex items-center md:px-4 text-[#1da1f2]"`,
    `.Button_root__${random(AN, 5)} { color: red }`,
    `/assets/index-${random(AN, 8)}.css main.${hex(8)}.js`,
    `url(/fonts/${hex(16)}-s.woff2)`,
    `etag: W/"${hex(32)}"`,
    `traceparent: 00-${hex(32)}-${hex(16)}-01`,
    `cf-ray: ${hex(16)}-FRA`,
    `toolu_01${random(AN, 22)} msg_01${random(AN, 22)} req_01${random(AN, 22)}`,
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(43)} ada@laptop`,
    `SHA256:${base64(43)} ada@laptop (ED25519)`,
    `tx 0x${hex(64)} from 0x${hex(40)}`,
    `Qm${random(AN, 44)} bafybeig${random(LOWER_AN, 51)}`,
    `"nonce-${base64(22)}=="`,
    `"nextCursor":"${Buffer.from('{"id":123456789}').toString('base64')}"`,
    `"version": "0.0.0-experimental-${hex(8)}-20251116"`,
    'arn:aws:iam::123456789012:role/deploy-role',
    '"cache_creation_input_tokens":12345,"output_tokens":678',
    'if (password !== confirmPassword) throw new Error("passwords differ")',
    'PASSWORD_MIN_LENGTH=12',
    'secretKeyRef:\n  name: db-credentials\n  key: password',
    'variable "db_password" {\n  type      = string\n  sensitive = true\n}',
    '"password": {"type": "string", "minLength": 12}',
    'const text = "ghp_" + suffix;',
    "const name = 'pass' + 'word';",
    '<Trans i18nKey="auth.password.label" />',
    'Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}',
    'postgres://user:password@localhost/db',
    'user:password@tcp(localhost:3306)/shop',
    'the recovery phrase is: twelve words that only you know',
    'mnemonic: a pattern of letters that assists in remembering',
    're_render_count_total re_exported_symbols_from_module',
    'fw_update_required_flag_for_all',
    'key_press_handler_registered key_derivationFunctionParameters',
    'napi_create_string_utf8 napi_get_value_int32',
    'sk_buff sk_stream_alloc_skb',
    'rnd_seed_value_for_everything',
    'st.session_state.current_page.value',
    'expo_modules_core_autolinking_settings_plugin',
    'secret_manager_client_library_v2',
    'tfp_distributions_multivariateNormalLinearOperator_logProb',
    'is_live_sessionSubscriptionHandlerRegistered',
    'oauth:authorize perm:read.write.execute',
    'npm_config_user_agent npm_lifecycle_event npm_package_version',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx pk_live_xxxxxxxxxxxxxxxxxxxxxxxx',
    'Cookie: theme=dark; lang=en',
    '::add-mask::$TOKEN',
    'Signature=unsigned&Expires=1',
  ];
}

it.each(lookAlikes())('J5: does not change the look-alike %s', (text) => {
  expect(redact(text)).toBe(text);
});

// Sentences, code and tables in which a name of a secret is followed by something else.
it.each([
  'await page.fill("#password", password);',
  "await page.getByLabel('Password').fill(user.password);",
  "await page.getByLabel('Password').click();",
  'The "password" field is required.',
  'Type the password "again" to confirm.',
  'Reset the password for user 12345: see below',
  'The password for this account is stored in the vault.',
  'log in with user / password',
  'const name = process.env.USER_NAME || "anonymous user";',
  "const token = process.env.API_TOKEN || '';",
  'PASS src2/token1.test.ts',
  'password reset',
  '  password   string',
  'Das Passwort ist falsch.',
  'mot de passe oublié ?',
  'echo "done" > token.txt',
  'enable secret scanning',
  'username ada secret word',
  'e2b_sandbox_template nvapi-client jina_embeddings_v3_base_en api-gateway sq_ sqp_',
  'hca hcx_ik polar_coordinates_to_cartesian_conversion vcr_cassettes_directory_for_tests',
  'md-button-toggle-group-item md-1234567890123456789012',
  // Words for secrets beside values of other kinds.
  'The cache key is 3fA9kQ2xLm8ZpT4vWc7RbN1d for this page.',
  'Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==',
  'The public key fingerprint is SHA256:3fA9kQ2xLm8ZpT4vWc7RbN1dYs6UhG0jEiKoPqXy5tB',
  'throw new Error("resolveAwsSdkSigV4Config: credentials are missing")',
  'git commit 8f14e45fceea167a5a36dedd4bea2543c1f0d2e1 fixes the token refresh',
  '$ git log --grep token --format=%H\n8f14e45fceea167a5a36dedd4bea2543c1f0d2e1',
  'passwords are hashed with bcrypt12 and a salt',
  'see issue#1234 about the password form',
  'The exit code is 137 and the status code: 404.',
  'the seed is the number that starts the random sequence of this test run here now',
  'docker run -u 1000:1000 -p 8080:80 -v a1b2c3:/data nginx',
  'mkdir -p build/out && cp -u -p a b',
  'node:24.1-alpine3@sha256:0123456789abcdef',
  '"@scope/name": "npm:other-name2@1.2.3"',
  'https://github.com/a/b/blob/8f14e45fceea167a5a36dedd4bea2543c1f0d2e1/src/hooks/useThing2.ts',
  'https://example.org/oauth2/auth?response_type=code&state=3fA9kQ2xLm8ZpT4vWc7RbN1d&scope=read',
  'tokens: { input: 1200, output: 340 }',
  'keys: ["name", "createdAt", "updatedAt2"]',
  'secrets:\n  - db_password\n  - api_token_2',
  'BUILD_ID=3fA9kQ2xLm8ZpT4vWc7RbN1d',
  'NAME              READY   STATUS    TOKEN\nweb-7d9c4b5f6-x2x7q   1/1     Running   none',
  'const ok = result.pass ? "PASS" : "FAIL2";',
  'createUser("ada", "admin", "member")',
  'connect("localhost", "mydatabase")',
  'if (token === "string" || password !== "") return',
])('J5: leaves the text alone: %s', (text) => {
  expect(redact(text)).toBe(text);
});

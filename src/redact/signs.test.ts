import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';
import { chars } from './testing/secrets.ts';

const TOKEN = chars(32);
const HUMAN = 'Falcon-River-42';

it.each([
  `api_token: !!str ${TOKEN}`,
  `api_token = """${TOKEN}"""`,
  `<entry key="api_token">${TOKEN}</entry>`,
  `<string name="api_token">${TOKEN}</string>`,
  `<key>ApiToken</key>\n\t<string>${TOKEN}</string>`,
  `<tr><td>API_TOKEN</td><td>${TOKEN}</td></tr>`,
  `<dt>API_TOKEN</dt><dd>${TOKEN}</dd>`,
  `<apiToken><![CDATA[${TOKEN}]]></apiToken>`,
  `process.env.API_TOKEN ??= "${TOKEN}"`,
  `ENV['API_TOKEN'] ||= "${TOKEN}"`,
  `API_TOKEN ?= ${TOKEN}`,
  `const ApiToken string = "${TOKEN}"`,
  `mapOf("API_TOKEN" to "${TOKEN}")`,
  `std::env::set_var("API_TOKEN", "${TOKEN}");`,
  `    api_token: Some("${TOKEN}".into()),`,
  `#define API_TOKEN "${TOKEN}"`,
  `$ENV{API_TOKEN} = '${TOKEN}';`,
  `api_token <- "${TOKEN}"`,
  `{:api-token "${TOKEN}"}`,
  `(setq api-token "${TOKEN}")`,
  `set(API_TOKEN "${TOKEN}")`,
  `- api_token → ${TOKEN}`,
  ` api_token | ${TOKEN}\n(1 row)`,
  `token                ${TOKEN}\ntoken_accessor       x`,
  `  ~ api_token = "old" -> "${TOKEN}"`,
  `buildConfigField "String", "API_TOKEN", "\\"${TOKEN}\\""`,
  `fastcgi_param API_TOKEN "${TOKEN}";`,
  `{"Name":"/prod/API_TOKEN","Type":"SecureString","Value":"${TOKEN}"}`,
  `{"ParameterKey":"ApiToken","ParameterValue":"${TOKEN}"}`,
  `  ApiToken:\n    Type: String\n    NoEcho: true\n    Default: ${TOKEN}`,
  `expect(body.api_token).toBe("${TOKEN}")`,
  `builder.apiToken("${TOKEN}")`,
  `api_token: &x ${TOKEN}`,
  `"api_token": { "type": "securestring", "defaultValue": "${TOKEN}" }`,
  `api_token: z.string().default('${TOKEN}')`,
  `parser.add_argument("--api-token", default="${TOKEN}")`,
  `env::var("API_TOKEN").unwrap_or("${TOKEN}".into())`,
  `("API_TOKEN", "${TOKEN}"),`,
  `const api_token = isProd ? '${TOKEN}' : 'dev';`,
  `const char api_token[] = "${TOKEN}";`,
  `Dim apiToken As String = "${TOKEN}"`,
  `set $api_token "${TOKEN}";`,
  `| api_token | string | \`${TOKEN}\` | required |`,
  `<ns:apiToken>${TOKEN}</ns:apiToken>`,
  `Content-Disposition: form-data; name="api_token"\r\n\r\n${TOKEN}\r\n--x`,
  `API_TOKEN is set to ${TOKEN}`,
  `Set-Item -Path Env:API_TOKEN -Value "${TOKEN}"`,
  `args: ["-y", "--api-token", "${TOKEN}"]`,
  `args:\n  - --api-token\n  - ${TOKEN}`,
])('finds a token in %s', (text) => {
  const redacted = redact(text);
  expect(redacted).not.toContain(TOKEN);
  expect(redacted).toMatch(/\[secret:(?:token|assigned-secret)\]/);
});

it.each([
  `password: ${HUMAN}`,
  'db_password: CastleBridge77!',
  'db_password: maple_otter512',
  'db_password: maple-otter-violet-canyon',
  'export db_pass=maple-otter-violet-canyon',
  'ARG db_pass=winterGarden',
  'TOTP_SEED=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
])('finds a value that a person chose: %s', (text) => {
  expect(redact(text)).toMatch(/^\S+( \S+)?[:=] ?\[secret:(?:password|assigned-secret)\]$/);
});

it.each([
  'password: hashedPassword',
  'password: db-password-secret-name',
  'password: user_password_2',
  'password: must-not-be-empty',
  "Pass 'parameters' and/or 'return_annotation' arguments",
  '<label for="password">Password</label>',
  '<td>password</td><td>string</td>',
  'expect(user.password).toBe(undefined)',
  'type Token = "string" | "number"',
  'random_seed: 1234567890123',
  '<li><code>_password</code></li>\n<li><code>email2</code></li>',
  '$self->{pass} = $self->{pass} ? 1 : 0;',
  'print(f"password={password!r}")',
  't("password", "Password")',
])('leaves %s alone', (text) => {
  expect(redact(text)).toBe(text);
});

import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';
import { chars, word } from './testing/secrets.ts';

const TOKEN = chars(32);
const PLACE = /\[secret:(?:password|token|assigned-secret)\]/;

it.each([
  (s: string) => `the password should be ${s}`,
  (s: string) => `our sudo password's ${s}`,
  (s: string) => `The password has been changed to ${s}.`,
  (s: string) => `password is currently set to ${s}`,
  (s: string) => `use ${s} as the password`,
  (s: string) => `try "${s}" for the root password`,
  (s: string) => `${s} is my password for the vpn`,
  (s: string) => `it asks for a password, enter ${s}`,
  (s: string) => `Password (temporary): ${s}`,
  (s: string) => `the root password (${s}) does not work`,
  (s: string) => `user bob, password ${s}`,
  (s: string) => `here is the password for prod:\n${s}`,
  (s: string) => `credentials are bob / ${s}`,
  (s: string) => `ssh into the box (root / ${s})`,
  (s: string) => `root password set to ${s}`,
  (s: string) => `The password, ${s}, is in the vault`,
  (s: string) => `just type ${s} when it asks for the sudo password`,
  (s: string) => `Benutzer bob, Passwort ${s}`,
  (s: string) => `nimm ${s} als Passwort`,
  (s: string) => `Zugangsdaten: bob / ${s}`,
  (s: string) => `der API-Schlüssel lautet ${s}`,
  (s: string) => `utilise ${s} comme mot de passe`,
  (s: string) => `mdp: ${s}`,
  (s: string) => `password for user app: ${s}`,
  (s: string) => `the db password got rotated, the new one is ${s}`,
  (s: string) => `the passphrase we use everywhere is "${s}"`,
  (s: string) => `pass phrase: ${s}`,
  (s: string) => `Grafana login is admin:${s}`,
  (s: string) => `for sftp use bob / ${s}`,
  (s: string) => `Het wachtwoord voor de database is ${s}`,
  (s: string) => `パスワードを ${s} に変更`,
  (s: string) => `비밀번호를 ${s}로 바꿔줘`,
  (s: string) => `رمز المرور هو ${s}`,
  (s: string) => `change the password from ${s} to another one`,
  (s: string) => `I changed the password from ${word('hunter')}2 to ${s}`,
  (s: string) => `the keystore password happens to be ${s}`,
  (s: string) => `the archive is protected with ${s}`,
  (s: string) => `the wifi code is ${s}`,
  (s: string) => `can you store ${s} as DB_PASSWORD in the env file?`,
  (s: string) => `I forgot to tell you, it's ${s} (the db password)`,
  (s: string) => `Q: what is the password?\nA: ${s}`,
  (s: string) => `password for postgres - ${s}`,
  (s: string) => `It worked with the password you gave me (${s}).`,
  (s: string) => `The database password you shared, ${s}, is in .env.`,
  (s: string) => `smtp: bob@example.org / ${s}`,
  (s: string) => `connect as root/${s}`,
  (s: string) => `u: bob p: ${s}`,
  (s: string) => `no, the password is not working: ${s}`,
  (s: string) => `the hardcoded credential ${s} in auth.py`,
  (s: string) => `I changed the password from secret to ${s}`,
  (s: string) => `A temporary password is generated for root@localhost: ${s}`,
  (s: string) => `invalid credentials for admin:${s}`,
  (s: string) => `await user.type(screen.getByLabelText(/password/i), '${s}');`,
  (s: string) => `fireEvent.change(passwordInput, { target: { value: '${s}' } });`,
  (s: string) => `onView(withId(R.id.password)).perform(typeText("${s}"))`,
  (s: string) => `la clave es "${s}"`,
  (s: string) => `Adgangskode: ${s}`,
  (s: string) => `ключ API: ${s}`,
  (s: string) => `数据库密码为${s}`,
  (s: string) => `APIキーは${s}です`,
  (s: string) => `كلمة المرور: ${s}`,
])('finds an announced password: %s', (write) => {
  for (const password of ['Falcon-River-42', 'CastleBridge77', 'x7!Kq9#mPz2w']) {
    const redacted = redact(write(password));
    expect(redacted).not.toContain(password);
    expect(redacted).toMatch(PLACE);
  }
});

it.each([
  `Here's my API key ${TOKEN}`,
  `use ${TOKEN} as the API key`,
  `${TOKEN} is my api key`,
  `add ${TOKEN} as OPENAI_API_KEY`,
  `use the token ${TOKEN} for auth`,
  `the bot token (${TOKEN})`,
  `API key for staging:\n\`\`\`\n${TOKEN}\n\`\`\``,
  `Incorrect API key provided: ${TOKEN}.`,
  `Error: token '${TOKEN}' has expired`,
  `Your new token is:\n\n    ${TOKEN}\n`,
  `New API key created. Copy it now, you will not see it again:\n${TOKEN}`,
  `Here is your access token (copy it now):\n\n  ${TOKEN}\n`,
  `API Key\n${TOKEN}`,
  `Bearer\n------\n${TOKEN}`,
  'the Vultr key GQ8H5JZZD0AKQZW663LKRKSSNDKK917JSZFT',
  `replace YOUR_API_KEY with ${TOKEN}`,
])('finds an announced token: %s', (text) => {
  const redacted = redact(text);
  expect(redacted).not.toContain(TOKEN);
  expect(redacted).toMatch(PLACE);
});

it.each([
  'The password should be at least 12 characters long.',
  'the password is required; the password was wrong',
  'use bcrypt as the password hash',
  'Password reset works with sha256 and the token is refreshed',
  'ftp.login() # default, i.e.: user anonymous, passwd anonymous@',
  'agent and passphrase cache\\.$',
  '**Test 1: Password Reset** (seemed complete)',
  `The cache key is build-${'0123456789abcdef'.repeat(2)}`,
  'the token count is 123456789012345678',
  'the password was added to config2024.yml and the hash is now argon2id',
  'the password column is varchar255, the check was renamed to checkPasswordV2',
  'the login form was moved to LoginPage2',
  'The signing key 004F8CF9AE53ACD1 has expired',
  `The hash of the token is:\n${TOKEN}`,
  'github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIwNI/qd1fhMGmLF6PM+tWjbDUNCdOdmT/sIYPMQrzBKH',
  'das Passwort ist falsch, und der Schlüssel ist verloren',
  'First we try to read the username/password from $HOME/.pypirc, then ask',
  'the key is in src/redact/vendor-formats2026.ts',
  'See the --username and --password options instead of the URL.',
  'did:key:z6Mkf9WZgvW91lOle59VRWbpOI58nC7SXXGYjXxlYvBVqUb4 is a public key',
  'the disk is encrypted with aes256-cbc and unlocked with tpm2',
  'You can pass `spec=True` to the AUTH command, or pass `--keyring=x` to the client.',
  'printf(&quot;Password is correct.&quot;);',
])('leaves a sentence alone: %s', (text) => {
  expect(redact(text)).toBe(text);
});

it('removes a value completely that is longer than the sentence around it', () => {
  const long = chars(40).repeat(8);
  expect(redact(`biscuit: ${long} and more`)).toBe('biscuit: [secret:token] and more');
});

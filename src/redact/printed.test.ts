import { expect, it } from 'vitest';
import { redact } from './testing/redactor.ts';
import { chars } from './testing/secrets.ts';

const SECRET = chars(28);

it.each([
  '$ gh auth token',
  '$ printenv API_TOKEN',
  '$ echo $API_TOKEN',
  '$ cat /run/secrets/db_password',
  '$ cat ~/.vault-token',
  'ada@box:~$ op read "op://Private/db/password"',
  '$ openssl rand -base64 32',
  '$ terraform output -raw db_password',
  `$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d`,
  '$ aws secretsmanager get-secret-value --secret-id db --query SecretString --output text',
])('finds the output of %s', (command) => {
  const redacted = redact(`${command}\n${SECRET}\n$ ls`);
  expect(redacted).not.toContain(SECRET);
  expect(redacted).toMatch(/\n\[secret:[a-z-]+\]\n\$ ls$/);
});

it.each(['> process.env.API_TOKEN', '>>> os.environ["API_TOKEN"]', 'irb> ENV["API_TOKEN"]'])(
  'finds the answer to %s',
  (expression) => {
    expect(redact(`${expression}\n"${SECRET}"\n`)).toBe(`${expression}\n"[secret:token]"\n`);
  },
);

it.each(['$ cat package-lock.json', '$ echo $HOME', '$ git rev-parse HEAD', '$ cat docs/tokens.md'])(
  'leaves the output of %s alone',
  (command) => {
    const text = `${command}\n${SECRET.toLowerCase()}\n`;
    expect(redact(text)).toBe(text);
  },
);

import { makeToken, type Planted } from './planted.ts';
import { AN, BASE64, type Random } from './random.ts';
import { VENDOR_SECRETS } from './vendor-secrets.ts';

/** A text with an encoded secret, and the strings that must not be readable afterwards. */
export interface Disguised extends Omit<Planted, 'secret'> {
  readonly secrets: readonly string[];
}

const PREFIXED = [
  'GitHub',
  'Anthropic api',
  'Slack',
  'Stripe',
  'GitLab',
  'npm',
  'Google',
  'OpenAI',
  'Linear',
  'AWS id',
  'JWT',
  'SendGrid',
];

const readNumbers = (text: string) =>
  text
    .split('\n')
    .map((line, n) => `${String(n + 1).padStart(6)}→${line}`)
    .join('\n');
const catNumbers = (text: string) =>
  text
    .split('\n')
    .map((line, n) => `${String(n + 1).padStart(6)}\t${line}`)
    .join('\n');
const everyLine = (mark: string) => (text: string) =>
  text
    .split('\n')
    .map((line) => mark + line)
    .join('\n');
const grepped = (text: string) =>
  text
    .split('\n')
    .map((line, n) => `config/prod.env:${n + 7}:${line}`)
    .join('\n');
const inJson = (text: string) => JSON.stringify({ stdout: `line\n${text}\nend\t`, code: 0 });
const entities = (text: string) =>
  text.replaceAll('"', '&quot;').replaceAll('=', '&#61;').replaceAll("'", '&#39;').replaceAll('\n', '&#10;');
const unicode = (text: string) =>
  text.replaceAll('"', '\\u0022').replaceAll('=', '\\u003d').replaceAll('\n', '\\u000a');
const colored = (text: string) =>
  text.replaceAll(/([=:] ?)(\S)/g, '\u001b[33m$1\u001b[0m\u001b[1;32m$2').concat('\u001b[0m');

/** Encodings of a whole text. */
const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'numbers of Read': readNumbers,
  'numbers of cat -n': catNumbers,
  'diff +': everyLine('+'),
  'diff -': everyLine('-'),
  quoted: everyLine('> '),
  indented: everyLine('        '),
  commented: everyLine('# '),
  grep: grepped,
  'grep -C': (text) =>
    text
      .split('\n')
      .map((line, n) => `config/prod.env-${n + 7}-${line}`)
      .join('\n'),
  'diff in Read': (text) => readNumbers(everyLine('+')(text)),
  JSON: inJson,
  'JSON in JSON': (text) => JSON.stringify({ body: inJson(text) }),
  'JSON in JSON in JSON': (text) => JSON.stringify({ body: JSON.stringify({ body: inJson(text) }) }),
  'JSON with \\/': (text) => inJson(text).replaceAll('/', '\\/'),
  'unicode escapes': unicode,
  'percent encoded': (text) => `https://x.example/cb?state=${encodeURIComponent(text)}&ok=1`,
  'percent encoded twice': (text) => `next=${encodeURIComponent(encodeURIComponent(text))}`,
  'HTML entities': (text) => `<pre>${entities(text)}</pre>`,
  colored,
  'escaped colors': (text) => JSON.stringify(colored(text)),
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
};

const ENV = (token: string, random: Random) => {
  const password = `${random.chars(AN, 10)}7q`;
  return { text: `NODE_ENV=production\nAPI_TOKEN=${token}\nSMTP_PASS=${password}\n`, secrets: [token, password] };
};

function makePem(random: Random): { readonly text: string; readonly secrets: readonly string[] } {
  const label = random.pick([
    'RSA PRIVATE',
    'PRIVATE',
    'EC PRIVATE',
    'OPENSSH PRIVATE',
    'ENCRYPTED PRIVATE',
    'DSA PRIVATE',
  ]);
  const lines = Array.from({ length: 5 }, (_, n) => random.chars(BASE64, n === 4 ? 36 : 64));
  return { text: `-----BEGIN ${label} KEY-----\n${lines.join('\n')}\n-----END ${label} KEY-----`, secrets: lines };
}

function makePgp(random: Random): { readonly text: string; readonly secrets: readonly string[] } {
  const lines = Array.from({ length: 4 }, () => random.chars(BASE64, 64));
  return {
    text: `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${lines.join('\n')}\n=${random.chars(BASE64, 4)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    secrets: lines,
  };
}

/** Every encoding, with a token and a password of an `.env` file, a PEM key and a PGP key. */
export function plantDisguised(random: Random): readonly Disguised[] {
  const vendor = () => VENDOR_SECRETS[random.pick(PREFIXED)]?.(random) ?? '';
  return Object.entries(WRITTEN).flatMap(([id, write]) => {
    const kinds = {
      token: ENV(vendor(), random),
      assigned: ENV(makeToken(random), random),
      pem: makePem(random),
      pgp: makePgp(random),
    };
    return Object.entries(kinds).map(([kind, { text, secrets }]) => ({
      id: `${id}: ${kind}`,
      text: write(text),
      // Some encodings change slashes; a piece between slashes is enough to detect a leak.
      secrets: secrets.flatMap((secret) => secret.split(/[/+=]/)).filter((piece) => piece.length >= 8),
    }));
  });
}

const halves = (secret: string, at: number) => [secret.slice(0, at), secret.slice(at)];

/** Encodings of a single token. */
export function plantTokens(random: Random): readonly Disguised[] {
  const token =
    VENDOR_SECRETS[random.pick(['GitHub', 'GitLab', 'npm', 'Anthropic api', 'Linear', 'Google'])]?.(random) ?? '';
  const cut = 12 + random.int(10);
  const [head = '', tail = ''] = halves(token, cut);
  const pem = makePem(random);
  const lines = pem.text.split('\n');
  const secrets = [token];
  const keys = pem.secrets.flatMap((line) => line.split(/[/+=]/)).filter((piece) => piece.length >= 8);
  return [
    { id: 'tool name', text: `mcp__server__${token}`, secrets },
    { id: 'file name', text: `/srv/data/backup-${token}.tar`, secrets },
    { id: 'branch', text: `feature/${token}`, secrets },
    { id: 'after an escaped newline', text: `"a\\n${token}\\n"`, secrets },
    { id: 'after an escaped tab', text: `"a\\\\t${token}"`, secrets },
    { id: 'after %3D', text: `q%3D${token}%26`, secrets },
    { id: 'after %22', text: `%22${token}%22`, secrets },
    { id: 'after %20', text: `a%20${token}`, secrets },
    {
      id: 'backslash at the end of a line',
      text: `curl -d ${head}\\\n${tail} x`,
      secrets: [token, `${head}\\\n${tail}`],
    },
    { id: 'cut by a column', text: `the key: ${head}\n${tail}\n`, secrets: [token, `${head}\n${tail}`] },
    {
      id: 'cut by a column in Read',
      text: `     1→ the key: ${head}\n     2→${tail}\n`,
      secrets: [`${head}\n     2→${tail}`],
    },
    { id: 'without width', text: `${head}\u200b${tail}`, secrets: [`${head}\u200b${tail}`] },
    { id: 'color within', text: `${head}\u001b[31m${tail}`, secrets: [`${head}\u001b[31m${tail}`] },
    {
      id: 'base64',
      text: Buffer.from(`x = ${token} # the key`).toString('base64'),
      secrets: [Buffer.from(`x = ${token} # the key`).toString('base64').slice(0, 40)],
    },
    {
      id: 'key in base64',
      text: Buffer.from(pem.text).toString('base64'),
      secrets: [Buffer.from(pem.text).toString('base64').slice(0, 60)],
    },
    {
      id: 'key that was cut',
      text: lines.slice(0, 4).join('\n'),
      secrets: keys.filter((piece) => lines.slice(0, 4).join().includes(piece)),
    },
    {
      id: 'key without its beginning',
      text: readNumbers(lines.slice(2).join('\n')),
      secrets: keys.filter((piece) => lines.slice(2).join().includes(piece)),
    },
    { id: 'key as strings of code', text: lines.map((line) => `  "${line}\\n" +`).join('\n'), secrets: keys },
    { id: 'key on one line', text: `KEY="${lines.join(' ')}"`, secrets: keys },
  ];
}

import { isUuid } from '../lib/ids.ts';
import { type Detect, GUTTER, type Report } from './detect.ts';
import { classifyName, secretKind } from './names.ts';
import { isUnmistakable } from './nearby.ts';
import { isPasswordValue } from './values.ts';

/** Commands that print a secret and nothing else. */
const PRINTERS = [
  String.raw`(?:gh|glab|flyctl|fly|stripe|doctl|vercel|heroku) auth(?::|[ ])token`,
  String.raw`gcloud auth (?:application-default )?print-(?:access|identity)-token`,
  String.raw`az account get-access-token[^\n]{0,120}`,
  String.raw`(?:aws|awslocal) (?:secretsmanager get-secret-value|ecr get-login-password|ssm get-parameters?)[^\n]{0,200}`,
  String.raw`gcloud secrets versions access[^\n]{0,120}`,
  String.raw`az keyvault secret show[^\n]{0,160}`,
  String.raw`security find-(?:generic|internet)-password[^\n]{0,120}-w[^\n]{0,20}`,
  String.raw`(?:op (?:read|item get)|bw get password|pass show|lpass show|gopass show|keyring get|secret-tool lookup)[ ][^\n]{1,120}`,
  String.raw`vault (?:kv get|read|print token)[^\n]{0,120}`,
  String.raw`kubectl [^\n]{0,120}get secrets?[^\n]{0,160}base64 (?:-d|-D|--decode)[^\n]{0,20}`,
  String.raw`openssl rand[^\n]{0,60}|pwgen[^\n]{0,40}|apg[ ][^\n]{0,40}|wg gen(?:key|psk)`,
  String.raw`[^\n]{0,80}secrets\.token_(?:urlsafe|hex|bytes)\([^\n]{0,20}`,
  String.raw`[^\n]{0,80}\brandomBytes\([^\n]{0,60}|(?:bin\/)?rails secret`,
  String.raw`kubeadm token create[^\n]{0,40}`,
];
/** Commands that print the value of a name, or a file: `printenv NAME`, `cat /run/secrets/db_password`. */
const NAMED = [
  String.raw`(?:echo|printf '%s\\n')[ ]["']?\$\{?([A-Za-z_]\w{2,60})\}?["']?`,
  String.raw`printenv[ ]([A-Za-z_]\w{2,60})`,
  String.raw`(?:heroku config:get|fly secrets get|doppler secrets get|terraform output -raw|npm config get|pulumi config get|vercel env get|railway variables get)[ ]([\w:.-]{3,80})[^\n]{0,60}`,
  String.raw`(?:sudo )?(?:cat|head -1|type|bat -p)[ ]["']?[\w./~$-]{0,100}?[/.]?([\w.-]{3,60})["']?`,
];
const COMMAND = new RegExp(
  String.raw`[$%❯➜#][ ]{1,2}(?:[A-Z_]{2,20}=\S{0,60} ){0,2}(?:${PRINTERS.join('|')}|${NAMED.join('|')})[ \t]{0,4}\r?\n(${GUTTER}["']?)([^\s"']{8,2000})["']?[ \t]{0,4}$`,
  'gm',
);
/** The answer of an interactive shell: `> env.NAME`, `>>> os.environ["NAME"]`, `irb> ENV["NAME"]`. */
const ANSWER = /> (?:p )?[\w.[("']{0,40}?\b([A-Za-z_]\w{2,60})["'\])]{0,3}\r?\n(?:=> )?["']([^\s"']{8,500})["']/g;
const FILES = /^(?:\.?vault-token|\.erlang\.cookie|initialAdminPassword|master\.key|token)$/;
const NAME_GROUPS = 4;

/** Finds the output of a command that prints a secret, below the command. */
export const detectPrinted: Detect = (text, report) => {
  for (const { 0: all, 1: name = '', 2: value = '', index } of text.matchAll(ANSWER)) {
    const kind = secretKind(name, value, 'quoted');
    const start = index + all.length - value.length - 1;
    if (kind !== null) report(kind, start, start + value.length);
  }
  if (!/[$%❯➜#] /.test(text)) return;
  reportNaming(text, report);
  for (const match of text.matchAll(COMMAND)) {
    const name = match.slice(1, 1 + NAME_GROUPS).find((group) => group !== undefined);
    const value = match.at(-1) ?? '';
    const end = match.index + match[0].replace(/["']?[ \t]*$/, '').length;
    const kind = printedKind(name, value);
    if (kind !== null) report(kind, end - value.length, end);
  }
};

/** Any command that names a secret, and one generated word below it. Other commands print checksums. */
const NAMING = new RegExp(
  String.raw`[$%❯➜][ ]{1,2}(?!git |docker |sha\d|md5|shasum|openssl dgst|cosign)([^\n]{0,200}(?:token|secret|passw|credential|api[_-]?key|auth|key:generate)[^\n]{0,120})\r?\n(${GUTTER}["']?)([^\s"'/]{8,500})["']?[ \t]{0,4}$`,
  'gim',
);

function reportNaming(text: string, report: Report): void {
  for (const { 0: all, 2: gutter = '', 3: value = '', index } of text.matchAll(NAMING)) {
    const start = index + all.lastIndexOf(`\n${gutter}`) + 1 + gutter.length;
    if (isUnmistakable(value, 'api_password') || isUuid(value)) report('assigned-secret', start, start + value.length);
  }
}

function printedKind(name: string | undefined, value: string): string | null {
  const isLikely = isPasswordValue(value, 'literal') && /\d|[A-Z]{12}/.test(value) && !/^https?:/.test(value);
  if (name === undefined || FILES.test(name)) return isLikely ? 'assigned-secret' : null;
  const bare = name.replace(/\.(?:txt|key|secret)$/, '');
  return classifyName(bare) === null ? null : secretKind(bare, value, 'literal');
}

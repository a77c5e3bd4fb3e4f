import { type Context, context, createAnchorScan, type Detect } from './detect.ts';
import { isStrongPassword } from './nearby.ts';
import { isHex, isPasswordValue } from './values.ts';
import { isJumble, isLowerCaseJumble } from './vendor-format.ts';

const isPassword = (value: string) => isPasswordValue(value, 'literal');
const isBarePassword = (value: string) => isPasswordValue(value, 'bare');

/** The text after an option: group 1 stays, group 2 is the password. In JSON the two are array items. */
const GAP = String.raw`(?:["'],)?[ =\t]{0,3}(?:\\\r?\n[ \t]{0,40})?["']?`;
/** A word, or everything in the quotes that were just opened, since a password may contain spaces. */
const WORD = String.raw`((?<=")[^"\r\n]{1,300}(?=")|(?<=')[^'\r\n]{1,300}(?=')|[^\s"'|;&<>\x60,]{1,300})`;
const option = (options: string) => new RegExp(String.raw`([\s"'](?:${options})${GAP})${WORD}`, 'g');
/** The same for a word that follows other words: `login x`, `-P x`. */
const afterWords = (words: string) => new RegExp(String.raw`([\s"'](?:${words})[ \t]{1,4}["']?)${WORD}`, 'g');
/** The same for `user:password`, where the user stays. */
const userOption = (options: string) =>
  new RegExp(
    String.raw`([\s"'](?:${options})(?:["'],)?[ =\t]{0,3}["']?[^\s:"'/%|;&[]{0,100}[:%]["']?)([^\s"'|;&<>\x60,]{1,300})`,
    'g',
  );

/** Options whose names do not reveal that they take a password, by command. */
const OPTIONS: readonly (readonly [commands: string, pattern: RegExp])[] = [
  ['curl curlie wget', userOption('-[A-Za-z]{0,5}u|--user|--proxy-user|-U')],
  ['lftp', /(\s-u[ \t]{0,4}["']?[^\s,"']{1,80},["']?)([^\s"'|;&]{3,300})/g],
  ['http https xh xhs', userOption('-a|--auth')],
  ['ab', userOption('-A|-P')],
  ['hey wrk', userOption('-a')],
  ['smbclient smbmap rpcclient winexe mount.cifs', userOption('-U|--user')],
  [
    'mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlcheck mariadb mariadb-dump mariadb-admin mycli',
    option(String.raw`-p(?=[^\s=])`),
  ],
  [
    'sshpass twine psexec cypher-shell supabase evil-winrm crackmapexec netexec nxc hydra ncftpput ncftpget ncftp conan rabbitmqadmin poetry altool esxcli racadm openfortivpn doveadm register_new_matrix_user ipa-server-install',
    option('-p'),
  ],
  [
    'psexec.py wmiexec.py smbexec.py secretsdump.py',
    /(\s["']?(?:[\w.-]{1,40}\/)?[\w.$-]{1,60}:)([^\s"'@/]{3,200})(?=@)/g,
  ],
  ['p4 knife', option('-P')],
  ['etcdctl', userOption('--user')],
  ['bw', afterWords(String.raw`(?:unlock(?: --raw)?|login [\w.+-]{1,60}@[\w.-]{1,60})`)],
  ['prosodyctl ejabberdctl', afterWords(String.raw`register \S{1,60} \S{1,80}`)],
  ['winrs', option('-p:')],
  ['nuget', afterWords('set[aA]pi[kK]ey')],
  // A key as the user, without a password
  ['curl http xh', /(\s(?:-u|--user|-a|--auth)[ =]?["']?)((?=[\w.~-]{0,99}\d)[\w.~-]{16,200})(?=:["']?(?:\s|$))/g],
  ['swaks', option('-ap')],
  ['pdftk', afterWords('(?:input|owner|user)_pw')],
  ['codecov flyctl fly', option('-t')],
  ['swift', option('-K')],
  ['snyk cloudflared rclone', afterWords('auth|service install|obscure')],
  ['vault', afterWords('operator unseal')],
  ['mkpasswd', /(\s(?:-[\w-]{1,12}[ =][\w-]{1,20}[ ]){0,3}["']?)((?!-)[^\s"'|;&<>`]{4,200})/g],
  ['caddy', afterWords('--plaintext|-p')],
  ['wpa_passphrase', /(\s["']?[^\s"']{1,40}["']?[ \t]{1,4}["']?)([^\s"'|;&<>`]{8,63})/g],
  ['mosquitto_passwd', /(\s-b[ \t]\S{1,100}[ \t]\S{1,60}[ \t]["']?)([^\s"'|;&<>`]{3,200})/g],
  ['drush', afterWords(String.raw`(?:user:password|upwd)[ \t]\S{1,60}`)],
  ['schtasks', option('/rp')],
  ['cmdkey wmic', option('/pass(?:word)?:')],
  ['netsh', /(\skey=["']?)([^\s"'|;&]{8,63})/g],
  ['wget', option('--(?:http|ftp|proxy)-password')],
  ['security', afterWords(String.raw`import[^\r\n|;&]{1,200} -P`)],
  ['security', afterWords(String.raw`(?:[^\r\n|;&]{1,200} -w|unlock-keychain[^\r\n|;&]{0,100}? -[pk])`)],
  ['ssh-keygen', option('-N|-P')],
  ['sendemail sendEmail', option('-xp')],
  ['doctl', afterWords('auth init[^\\r\\n|;&]{0,100}? (?:-t|--access-token)')],
  ['cargo ngrok', afterWords('login|authtoken|config add-authtoken')],
  ['mc', afterWords(String.raw`(?:alias|config host) (?:set|add) \S{1,60} \S{1,200} \S{1,80}`)],
  [
    'poetry composer',
    afterWords(
      String.raw`config (?:--?[\w-]{1,20} ){0,3}(?:http-basic\.\S{1,100} \S{1,80}|pypi-token\.\S{1,80}|(?:github-oauth|gitlab-token|bearer)\.\S{1,80})`,
    ),
  ],
  ['bundle', /(\sconfig (?:set )?(?:--?\w{1,20} ){0,2}[\w.-]{1,100} [\w.@-]{1,60}:)([^\s"'|;&]{3,300})/g],
  ['aws', afterWords(String.raw`ssm put-parameter[^\r\n|;&]{0,300}?SecureString[^\r\n|;&]{0,200}? --value`)],
  ['az', afterWords(String.raw`keyvault secret set[^\r\n|;&]{0,300}? --value`)],
  [
    'docker podman nerdctl buildah skopeo helm oras crane az oc doctl ibmcloud cf argocd rancher',
    /([\s"']login(?=[\s"'])[^\n]{0,200}?[\s"']-p(?:["'],)?[ =]{0,3}["']?)([^\s"'|;&<>`,]{1,300})/g,
  ],
  ['redis-cli', option('-a|--pass')],
  [
    'mongo mongosh mongodump mongorestore mongoexport mongoimport clickhouse-client cqlsh influx arangosh couchbase-cli',
    option('-p'),
  ],
  ['sqlcmd bcp isql mssql-cli', option('-P')],
  ['dsconf ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd', option('-w|-s')],
  ['zip unzip zipcloak mosquitto_pub mosquitto_sub ipmitool', option('-P')],
  ['snmpget snmpwalk snmpset', option('-A|-X|-c(?![ ]?(?:public|private)\\b)')],
  ['7z 7za 7zr', option(String.raw`-p(?=\S)`)],
  ['rar unrar', option(String.raw`-h?p(?=\S)`)],
  ['openssl', option(String.raw`-hmac|-[kK](?=[ =]["']?[^\s-])`)],
  ['ansible-vault', afterWords('encrypt_string')],
  ['rclone', afterWords('config create[^\\r\\n|;&]{1,200}? pass')],
  ['openssl', afterWords(String.raw`passwd(?: -(?:\d|apr1|salt [\w./]{1,40})){0,3}`)],
  ['keytool jarsigner apksigner', option('-storepass|-keypass|-srcstorepass|-deststorepass|-srckeypass|-destkeypass')],
  ['xfreerdp rdesktop', option('/p:|-p')],
  ['pscp plink psftp putty winscp', option('-pw')],
  ['useradd usermod', option('-p')],
  [
    'htpasswd',
    /(\s(?:-\w{1,6}[ \t]{1,4}){1,4}(?:[\w./~-]{1,100}[ \t]{1,4})?[\w.@-]{1,60}[ \t]{1,4}["']?)([^\s"'|;&<>`-][^\s"'|;&<>`]{2,300})/g,
  ],
  [
    'sqlplus impdp expdp sqlldr',
    /(\s["']?[\w.$-]{1,60}\/\\?["']?)((?<=["'])[^\s"']{3,200}(?=["'])|[^\s"'@/]{3,200}(?=@|["']?(?:\s|$)))/g,
  ],
  [
    'vault',
    /(\slogin[ \t]{1,4}(?:-[\w=-]{1,40}[ \t]{1,4}){0,3}["']?)((?<=["'])[^\s"']{8,200}(?=["'])|[\w.-]{8,200}(?![\w.=-]))/g,
  ],
  ['aws', afterWords(String.raw`configure set \S{0,80}(?:secret_access_key|session_token)`)],
  ['dotnet nuget', afterWords(String.raw`(?:nuget )?push[^\r\n|;&]{0,200}? (?:-k|--api-key)`)],
  ['nmcli', afterWords('password|wifi-sec\\.psk|802-11-wireless-security\\.psk')],
  ['grafana-cli grafana', afterWords('admin reset-admin-password')],
  ['signtool', option('/p')],
  [
    'rabbitmqctl',
    /(\s(?:add_user|change_password|authenticate_user)[ \t]{1,4}["']?[\w.@-]{1,60}["']?[ \t]{1,4}["']?)([^\s"'|;&<>`]{3,300})/g,
  ],
];

const scan = createAnchorScan(
  OPTIONS.flatMap(([commands, pattern]) => commands.split(' ').map((each) => [each, pattern] as const)),
);
const MAX_COMMAND_CHARS = 600;
/** A command ends with its line, unless that ends with a backslash, or where another command starts. */
const COMMAND = /(?:\\\r?\n|\\[^\r\n]|"[^"\r\n]{0,300}"|'[^'\r\n]{0,300}'|[^\r\n|;&\\]){0,600}/y;

/** Finds passwords passed as command options. */
export const detectCommandOptions: Detect = (text, report) => {
  scan(text, (at, command, pattern) => {
    const after = text.charAt(at + command.length);
    if (/[\w.-]/.test(text.charAt(at - 1)) || !/[\s"',\\]/.test(after)) return null;
    COMMAND.lastIndex = at + command.length;
    const rest = COMMAND.exec(text)?.[0].slice(0, MAX_COMMAND_CHARS) ?? '';
    for (const match of rest.matchAll(pattern)) {
      const [, before = '', value = ''] = match;
      const start = at + command.length + match.index + before.length;
      if (isPassword(value) && !value.startsWith('-')) report('password', start, start + value.length);
    }
    return null;
  });
};

/** A generated value, but neither a path nor a checksum. */
const isGenerated = (value: string) =>
  (isJumble(value.replace(/=+$/, '')) || isLowerCaseJumble(value)) && !isHex(value) && !value.includes('/');

/** Passwords on other lines that have no name for them. */
export const COMMAND_LINES: readonly Context[] = [
  // Any command with a user and a password: `tool login -u ada -p x`. A number is a port, a path a folder.
  context(
    'password',
    ['-p ', '-p"', "-p'", '-P '],
    /([ \t](?:-u|-U|--user(?:name)?)[ =]["']?[\w.@\\+-]{1,60}["']?(?:[ \t]{1,4}[^\s|;&]{1,80}){0,4}?[ \t]{1,4}-[pP][ =]?["']?)([^\s"'|;&<>`]{4,200})/g,
    (value) => isPassword(value) && !/^[\d:.-]+$|[/\\]|^\d+:\d+/.test(value),
  ),
  context(
    'password',
    ['-u ', '-U ', '--user ', '--user='],
    /([ \t](?:-u|-U|--user)[ =]["']?[\w.@+-]{1,60}[:%])([^\s"'|;&<>`:/]{6,200})(?=["']?(?:[\s|;&]|$))/g,
    (value) => isBarePassword(value) && /[A-Za-z]/.test(value) && !/^[a-z-]+\d?$/.test(value),
  ),
  // A generated value after an option of one letter, whatever the command.
  context(
    'token',
    [' -'],
    /([ \t]-[A-Za-z][ =]?["']?)([A-Za-z0-9][\w+~-]{19,300}={0,2})(?=["']?(?:[\s|;&)]|$))/g,
    isGenerated,
  ),
  // `tool login x`, `tool apikey save main x`
  context(
    'token',
    ['login ', 'auth ', 'publish ', 'apikey ', 'api-key ', 'authtoken ', 'unseal '],
    /((?:^|[$>#`"';&|:][ ]?)(?:[\w./-]{2,30}[ ]){1,2}(?:login|auth|publish|apikey|api-key|authtoken|unseal)[ ](?:--?[\w-]{1,20}[ =]|(?:save|add|set|create)[ ][\w.-]{1,30}[ ]|[a-z]{2,12}[ ]--?[\w-]{1,20}[ =]){0,2}["']?)([A-Za-z0-9][\w+-]{19,300}={0,2})(?![\w.(/])/gm,
    (value) => isJumble(value.replace(/=+$/, '')) || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  ),
  context(
    'password',
    '<(',
    /((?:secret|pass|token|seal|login|cred)[^\n|;&]{0,120}<\((?:echo|printf)[ ](?:-\w{1,3}[ ])?["']?)([^\s"'$|]{4,300})(?=["']?\))/g,
    isPassword,
  ),
  context(
    'password',
    'airportnetwork',
    /(-setairportnetwork[ ]\w{1,8}[ ]["']?[^\s"']{1,40}["']?[ ]["']?)([^\s"'|;&]{8,63})/g,
    isPassword,
  ),
  context(
    'password',
    ' /d ',
    /(\breg[ ]add[^\n|;&]{0,120}[ ]\/v[ ]\w{0,30}(?:password|secret|token|key)[^\n|;&]{0,60}[ ]\/d[ ]["']?)([^\s"'|;&]{4,300})/gi,
    isPassword,
  ),
  context(
    'password',
    ['user ', 'User '],
    /(\b(?:create|add|new)[-_ ]?user[ ]{1,2}(?:--?[\w-]{1,20}[ =]){0,2}[\w.@+-]{1,60}[ ]{1,2}["']?)([^\s"'|;&<>`/-][^\s"'|;&<>`/]{5,200})/gi,
    isBarePassword,
  ),
  context('password', ['PRAGMA key', 'pragma key'], /(\bPRAGMA (?:re)?key[ ]?=[ ]?["'])([^"'\n]{3,200})/gi, isPassword),
  context('token', 'token-id', /(-root-token-id[ =]["']?)([^\s"'|;&]{6,200})/g, isPassword),
  context(
    'password',
    'pass:',
    /((?<![\w-])--?(?:passin|passout|pass|ks-pass|key-pass)["']?[ =,]{1,2}["']?pass:["']?)([^\s"'|;&<>`]{1,300})/g,
    isPassword,
  ),
  context(
    'password',
    [
      'chpasswd',
      'sudo -S',
      '-stdin',
      '--with-token',
      '--stdin',
      'secret ',
      'secret-tool',
      'secrets ',
      'env add',
      'passphrase-fd',
      'cryptsetup',
      'load-key',
      'passwd',
      'kinit',
      'realm join',
      'adcli',
      'pass insert',
      'keepassxc',
      'openconnect',
    ],
    /(\b(?:echo|printf|yes)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4}|["']%s(?:\\n)?["'][ \t]{1,4})?["']?(?:[\w.-]{1,40}:)?)((?<=["'][\w.:-]{0,41})[^"'|\r\n]{4,300}|[^\s"'|:;)]{4,300})(?=["'\\n]{0,4}(?:;[ ]?(?:echo|printf)[ ][^|\n]{1,100})?\)?[ \t]{0,4}\|[^|\n]{0,80}(?:chpasswd|sudo (?:-S|--stdin)|-stdin|--with-token|--stdin|secrets? (?:set|put|create|add|versions add)|secret-tool store|env add|passphrase-fd 0|cryptsetup |zfs load-key|(?:sasl|smb)?passwd2?(?: |$)|kinit|realm join|adcli|pass insert|keepassxc-cli|openconnect))/gm,
    isPassword,
  ),
  // `docker login --password-stdin <<< x`, `su - ada <<< x`
  context(
    'password',
    '<<<',
    /((?:-stdin|--with-token|--stdin|sudo -S|\bsu |passwd |cryptsetup |kinit |login |env add |adduser |join |ssh-add |(?:secret|SECRET|token|TOKEN|PASS(?:WORD)?|PW|API_KEY)s? )[^\n|;&]{0,120}<<<[ \t]{0,3}\$?["']?)((?:[^\s"'$|;&<>`\\]|\\n){4,300})/g,
    isPassword,
  ),
  // `net user ada x /add`
  context(
    'password',
    'net user',
    /(\bnet[ \t]user[ \t]{1,3}[\w.-]{1,40}[ \t]{1,3}["']?)([^\s"'|;&/*][^\s"'|;&]{3,100})/gi,
    isPassword,
  ),
  // Whatever the name of a secret: `gh secret set NAME --body x`, `fly secrets set NAME=x`.
  context(
    'assigned-secret',
    ['secret ', 'secrets ', 'secrets:'],
    /(\bsecrets?[ :](?:set|put|create|add|new)\b[^\n|;&]{1,120}?[ ](?:--body|-b|--value|--plaintext|--secret-string)[ =]?["']?)([^\s"'|;&<>`$][^\s"'|;&<>`]{3,500})/g,
    isPassword,
  ),
  context(
    'assigned-secret',
    ['secret ', 'secrets ', 'secrets:'],
    /((?<=\bsecrets?[ :](?:set|put|create|add|import)\b[^\n|;&]{0,300}[ ]["']?)[A-Za-z_]\w{0,60}=["']?)([^\s"'|;&<>`$][^\s"'|;&<>`]{3,500})/g,
    isPassword,
  ),
  // `--password-command "echo x"`
  context(
    'password',
    ['-command', '-cmd', 'eval'],
    /(\bpass(?:word|phrase)-?(?:command|cmd|eval)[ =]["']?(?:echo|printf)[ ]["']?)([^\s"'|;&<>`$]{4,200})/gi,
    isPassword,
  ),
  // A password that a script types: `send "x\r"`
  context(
    'password',
    'send',
    /(\bsend(?:line)?(?:\(|[ ](?:--[ ])?)(?:\\{0,3}["']))([^\s"'\\]{6,100})(?=\\{1,4}[rn])/gi,
    isStrongPassword,
  ),
  // An access list of Redis: `ACL SETUSER ada on >x`
  context(
    'password',
    ['SETUSER', 'setuser', 'user '],
    /(\b(?:SETUSER[ \t][^\n]{1,60}?|user[ \t]\S{1,60}[ \t]on(?:[ \t]\S{1,20}){0,3})[ \t]["']?>)([^\s"'|;&]{4,200})/gi,
    isPassword,
  ),
  // `expect "password:"` and `send "x\r"` on the next line; pexpect
  context(
    'password',
    ['assword', 'assphrase'],
    /(\bexpect[ \t(][^\n]{0,40}ass(?:word|phrase)[^\n]{0,20}(?:\n|;)[ \t]{0,40}(?:[\w.]{1,40}\.)?send(?:line)?(?:\(|[ \t](?:--[ \t])?)["'])([^"'\r\n\\]{3,200})/g,
    isPassword,
  ),
  context('password', 'New value:', /(successfully reset\.\s{1,8}New value:[ \t]{1,4})(\S{8,100})/g, isPassword),
  // `echo x > .vault_pass`
  context(
    'password',
    ['echo', 'printf'],
    /(\b(?:echo|printf)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4})?["']?)([^\s"'|=$]{6,300})(?=["']?[ \t]{0,4}>{1,2}[ \t]{0,4}["']?[\w./~${}-]{0,80}(?:pass(?:word|wd|phrase)?|secret|token|credentials?|api[_-]?key|master\.key)(?:\.\w{1,8})?["']?(?:[\s;&|)]|$))/gi,
    isBarePassword,
  ),
  // Network devices: `enable secret 5 x`, `username ada privilege 15 password 0 x`.
  context(
    'password',
    ['enable ', 'username '],
    /((?:^|\n|#)[ \t]{0,8}(?:enable|username[ \t]\S{1,40}(?:[ \t]privilege[ \t]\d{1,2})?)[ \t](?:algorithm-type \w{1,10} )?(?:secret|password)[ \t](?:[0-9][ \t])?)([^\s"']{4,200})(?=[ \t]{0,8}(?:\r?\n|$))/g,
    isBarePassword,
  ),
  context(
    'password',
    '/user:',
    /(\bnet[ \t]use\b[^\n|;&]{0,200}?\/user:\S{1,60}[ \t]{1,4}["']?)([^\s"'|;&/]{3,200})/gi,
    isPassword,
  ),
  context(
    'password',
    '/user:',
    /(\bnet[ \t]use\b[^\n|;&]{0,200}?[ \t]["']?)((?<=["'])[^\n"']{4,200}(?=["'][ \t]{1,4}\/user:)|[^\s"'|;&/\\:]{4,200}(?=[ \t]{1,4}\/user:))/gi,
    isPassword,
  ),
  context(
    'password',
    ['auth=(', 'Auth(', '.auth('],
    /((?:\bauth=\(|Auth\(|\.auth\()[ \t]{0,2}["'][^"'\n]{1,80}["'],[ \t]{0,3}["'])([^"'\n]{3,200})/g,
    isPassword,
  ),
  context(
    'password',
    ['AUTH ', 'requirepass', 'masterauth'],
    /((?:(?:^|[\s>"'→])AUTH[ \t]{1,3}(?:default[ \t]{1,3})?|\b(?:requirepass|masterauth)[ \t]{1,4})["']?)([^\s"'|;&]{6,200})/g,
    (value) => isPassword(value) && /\d|[^\w/.,;:]/.test(value),
  ),
  context('password', 'btoa(', /(\bbtoa\([ \t]{0,2}["'][^"':\s]{1,80}:)([^"'\n]{3,200})(?=["'])/g, isPassword),
  context(
    'password',
    ['PASSWORD', 'password'],
    /(\b(?:encrypted[ \t]{1,3})?password(?:[ \t]{1,3}|\()')([^'\n]{3,200})(?=')/gi,
    isPassword,
  ),
  context(
    'password',
    ['IDENTIFIED', 'identified'],
    /(\bidentified[ \t]{1,3}(?:with[ \t]{1,3}\S{1,40}[ \t]{1,3})?(?:by|as)[ \t]{1,3}(?:password[ \t]{1,3})?["'])([^"'\n]{3,200})/gi,
    isPassword,
  ),
  context('password', 'IDENTIFIED BY', /(\bIDENTIFIED BY[ \t]{1,3})([^\s"';,)]{3,200})/g, isPassword),
  context(
    'password',
    'ConvertTo-SecureString',
    /(ConvertTo-SecureString[ \t]{1,4}(?:-\w{1,12}[ \t]{1,4}){0,3}["']?)((?<=["'])[^"'\n]{3,200}|[^\s"'$(-][^\s"'()]{2,200})/g,
    isPassword,
  ),
  context(
    'password',
    'ConvertTo-SecureString',
    /(["'])([^"'\n]{4,200})(?=["'][ ]?\|[ ]?ConvertTo-SecureString)/g,
    isPassword,
  ),
  context(
    'assigned-secret',
    '--from-literal',
    /(--from-literal[ =]["']?[\w.-]{1,80}=["']?)((?<=")[^"\n]{4,500}(?=")|(?<=')[^'\n]{4,500}(?=')|[^\s"'|;&]{4,500})/g,
    isPassword,
  ),
];

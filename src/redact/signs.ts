import { GUTTER } from './detect.ts';
import { classifyName } from './names.ts';
import type { Form } from './values.ts';

export interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Characters allowed between a name and its sign: a closing quote, bracket or bold mark. */
const NAME_END = /["'`]?[\]}]?["'`]?[?!]?\*{0,3}(?:[ ](?:\[[\w =]{1,20}\]|\([\w :=.-]{1,30}\))(?=:))?/y;
const SIGN =
  /[ \t]{0,40}(?::[ \t]{0,3}(?:&(?:'\w{1,10} )?)?[A-Za-z_][\w.<>[\]]{0,40}(?:[ ]\|[ ]\w{1,20}){0,2}[ \t]{0,3}=(?![=>])|\{[ ]get;[\w ;]{0,30}\}[ ]=|[ ](?:As[ ])?[sS]tring[ \t]{0,3}=(?![=>])|\[\d{0,4}\][ ]{0,2}=(?=[ ]?")|:[ ]\[\]const u8[ ]=|[ ]VARCHAR2?\(\d{1,5}\)[ ]:=|:[ ]constant[ ]:=|::(?=[ ]['"])|[ ]—(?=[ ])|\{(?="[^"\n]{8,300}"\})|={1,2}>|->|→|<-(?!-)|:=|\+=|\|\|=|\?\?=|\?=|=(?!=)|:-(?=[^\s])|:(?!:))(?:[ \t]{0,3}[|>]-?\r?\n[ \t]{1,40}|[ \t]{0,2}[\\(]?\r?\n[ \t]{1,40}(?:string\(\d{1,4}\)[ ])?(?=["'`]\S{4,300}["'`])|[ \t]{0,8}(?:!!str[ \t]|!\w{1,12}[ ](?=["'])|&\w{1,30}[ ]|string\(\d{1,4}\)[ ](?=")|\$\{[\w.]{1,60}:-?(?![?+])(?=[^{}\s$]{1,200}\})|\|\|(?=[^\s|]{4,200}\|\|))?)\*{0,3}[ \t]?/y;
/**
 * `key="NAME" value="x"`, `"name": "NAME", "type": "secret", "value": "x"`, `- name: NAME` with `value: x` on the next
 * line.
 */
const PAIR =
  /["']?[ \t]{0,4}[,;]?[\s\d→|+>#-]{0,60}(?:[\w./-]{1,80}[:-]\d{1,6}[:-][ \t]{0,40})?(?:["']?(?!value|name|key)[A-Za-z_]{2,20}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w./-]{1,30}["']?(?:,[\s\d→|+]{0,60}|[\s\d→|+]{1,60})){0,2}["']?(?:\w{1,12}:)?(?:value|Value|val|content|defaultValue|ParameterValue|SecretString)["']?[ \t]{0,4}[:=][ \t]{0,4}/y;
/** `"NAME": {"value": "x"}` as in Terraform state, and `variable "NAME" {` with `default = "x"` on a later line. */
const INNER_VALUE =
  /["']?[ \t]{0,4}:?[ \t]{0,4}\{[\s\d→|+-]{0,60}(?:\w{1,20}[ \t]{0,20}=[ \t]{0,4}[^\n{}]{0,80}\n[\s\d→|+-]{0,60}){0,4}["']?(?:"\w{1,20}"[ ]?:[ ]?"[^"\n]{0,40}",\s{0,40}){0,3}["']?(?:value|default|defaultValue)["']?[ \t]{0,20}[:=][ \t]{0,4}(?=["'])/y;
/** `z.string().default('x')`, `Field(default="x")`, `get("NAME").unwrap_or("x")`. */
const DEFAULTED = /["']?[^\n"';{}]{0,40}\b(?:default|unwrap_or|orElse|getOrElse|defaultTo)[ ]?[=(][ ]?(?=["'])/y;
/** A field of a form: the value follows an empty line. */
const FORM_FIELD = /"(?:\r?\n){2}(?=\S{4,500}\r?\n)/y;
/** A parameter of CloudFormation: `NAME:` with an indented `Default: x` on a later line. */
const PARAMETER =
  /:[ \t]{0,4}\r?\n(?:[ \t]{1,40}(?:Type|NoEcho|Description|MinLength|MaxLength):[^\n]{0,120}\n){1,4}[ \t]{1,40}Default:[ \t]{1,4}/y;
/** `gh secret set NAME --body x`. */
const BODY = /["']?[ \t]{1,4}(?:--body|-b|--value|-Value|--plaintext|--secret-string)[ =]{0,2}/y;
/** `<NAME>x</NAME>`, `<entry key="NAME">x</entry>`, `<key>NAME</key><string>x</string>`, and the cells of a table. */
const ELEMENT =
  /["']?(?:[ ][\w:-]{1,40}="[^"<>]{0,60}"){0,3}(?:[ ]?(?:<\/\w{1,10}>)?<\/(?:td|th|dt|key|name)>\s{0,40}<\w{1,10}(?:[ ][\w:-]{1,40}="[^"<>]{0,60}"){0,3})?>(?:<\w{1,10}>)?(?:<!\[CDATA\[)?(?=[^<>\s]{1,500}(?:\]\]>)?<\/)/y;
const OPEN_TAG =
  /<(?:[\w-]{1,20}:|[\w:-]{1,40}(?:[ ][\w:-]{1,40}=["'][^"'<>]{0,60}["']){0,2}(?:[ ](?:name|key|id)=["']|>(?:<\w{1,10}>)?))?$/i;
const ARGUMENT = /["'][ \t]{0,4},[ \t]{0,20}(?:"\\)?(?=[brf]?["'])/y;
/** `config :app, :NAME, "x"` of Elixir and Ruby. */
const AFTER_ATOM = /,[ \t]{1,4}(?=["'][^\s"']{8,300}["'])/y;
/** `"NAME" to "x"` of Kotlin, and `expect(user.NAME).toBe("x")`. */
const TO = /(?:["'] to |\)\.to(?:Be|Equal|StrictEqual|Match|Contain)\()(?=["'])/y;
const SETTER =
  /(?:define|setenv|putenv|set|set_var|setdefault|put|add|append|get|getenv|fetch|getOrDefault|env|header|setHeader|setRequestHeader|setProperty|setItem|config|buildConfigField|resValue|environment|VALUES)(?:\(|[ ](?=["'(]))[ \t]{0,4}(?:\(|"[Ss]tring",[ ])?[ \t]{0,4}["']$/i;
const GAP = /(?:["'],[ \t]{0,4}(?=["'])|["']?\r?\n[ \t]{0,40}-[ ]|[ \t]{1,4}|[ \t]{0,2}\\?\r?\n[ \t]{1,40})(?!-)/y;
/** "the --password option is required" */
const PROSE =
  /^(?:options?|flags?|arguments?|parameters?|switch|is|are|and|or|in|to|for|with|when|if|can|must|should|instead|on)(?=[\s.,;:)])/;
const MAX_PROSE_CHARS = 12;
/** `aws ssm put-parameter --name /shop/password --value x`. */
const NAMED = /(?:\bEnv:|--(?:name|secret-id|key)[ =])["']?[\w/.-]{0,100}$/;
const VERB =
  /(?:^|[\s"'`;&|→:+>])(?:setx|setenv|env:set|set-env \S{1,40}|set-header|--arg|--set \S{1,80} \S{1,40}|ENV|ARG|set -\w{1,3}|git config|config create \S{1,40} \S{1,40}|(?:configure|config|(?:user-)?secrets?|variable|env|vars?) (?:set|add|put|create))[ \t]{1,4}(?:--?[\w-]{1,20}[ \t]{1,4})?["']?(?:\/\/\S{0,100}:|(?:[\w.]{1,60}:){1,4})?$/i;
/** `password === 'x'`: compared with a literal. */
const COMPARED = /["']?\]?[ \t]{0,3}[!=]={1,2}[ \t]{0,3}(?=["'`])/y;
/** `env.NAME || 'x'`, `os.environ["NAME"] or "x"`: what is used where the variable is not set. */
const FALLBACK = /["']?[\])]{0,2}[ \t]{0,2}(?:\|\||\?\?|\bor\b)[ \t]{0,2}(?=["'`])/y;
const VARIABLE = /(?:^|\.)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|\benv\.\w+$/;
/** `printf 'NAME=%s\n' 'x'`. */
const PRINTED = /=%s(?:\\n)?["'][ \t]{1,4}["']?(?=[^\s"'$-])/y;
/** `storePassword 'x'` of Gradle and `password x` of msmtp: a line of its own without a sign. */
const UNSIGNED =
  /[ \t]{1,20}(?=(?:"[^"\s]{4,100}"|'[^'\s]{4,100}'|[^\s"'`=:,;|(){}<>]{6,100}={0,2})[ \t]{0,8}(?:\r?\n|$))/y;
/** `token      x`: two columns, as in the output of Vault. */
const COLUMN = /[ ]{2,40}(?=[^\s"'`=:,;|(){}<>]{12,300}[ \t]{0,8}(?:\r?\n|$))/y;
const SPOKEN = /[ \t](?:is|was)(?::|[ \t]now|[ \t]set to)?[ \t]{1,3}/y;
/** "set X to Y". */
const SET_TO = /[ \t]to[ \t]{1,3}/y;
const SET = /\b(?:set|change|changed|reset|rotate|rotated|update|updated)\b[^\n.]{0,60}$/i;
/** `| NAME | value |` of a Markdown table, `NAME | value` of psql, `│ NAME │ value │`. */
const CELL =
  /["'`]?[ \t]{0,40}[|│║]{1,2}[ \t]{0,20}(?:(?:string|str|text|secret|env)[ ]{0,20}\|[ ]{0,20})?["'`]?(?=[^\s|│║])/y;
const CELL_START = /[|│║][ \t]{0,4}["'`]?$|(?:^|\n)[ ]{0,2}$/;
/** `NAME,x` and `NAME;x`: a file with a name and a value in each line. */
const FIELD = /[,;](?=[^\s"'`,;(){}]{6,300}[ \t]{0,4}(?:\r?\n|$))/y;
/** `#define NAME "x"`, `(setq NAME "x")`, `@NAME "x"` of Elixir, `:name "x"` of Clojure, `set(NAME "x")` of CMake, `fastcgi_param NAME "x"`. */
const DEFINED = /\*?[ \t]{1,20}(?=["'][^"'\s]{8,300}["'])/y;
const DEFINE =
  /(?:#[ \t]{0,4}define[ \t]{1,8}|\((?:setq|def|defvar|defconst|define|setf)[ ]|[{ ]:|\bset\(|\bset[ ]\$?|\(defparameter[ ]\*|\b(?:invalid|bad|wrong|unknown)[ ]|\b(?:header_up|RequestHeader set)[ ]|\b(?:fastcgi_param|proxy_set_header|SetEnv|env)[ \t]{1,8}|[{;][ ])$|(?:^|[\s→:+>])@$|(?:^|\n)[ \t]{2,40}$/;
/** `setPassword("x")`, `.password("x")`. */
const CALL = /\([ \t]{0,4}(?=["'])/y;

/** Finds where the value starts and whether it must be a literal. Null when no value follows. */
export function signAfter(text: string, name: Name): { readonly at: number; readonly form: Form | null } | null {
  const before = text.slice(Math.max(0, name.start - 160), name.start);
  // `${NAME:?message}`
  if (before.endsWith('${') && /^:?[?+]/.test(text.slice(name.end, name.end + 2))) return null;
  const at = (pattern: RegExp, from = name.end) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : null;
  };
  const afterName = at(NAME_END) ?? name.end;
  const pair = at(PAIR) ?? at(INNER_VALUE) ?? at(PARAMETER);
  if (pair !== null) return { at: pair, form: 'literal' };
  const element = OPEN_TAG.test(before) ? at(ELEMENT) : null;
  if (element !== null)
    return { at: element, form: /^<\/t?[dh]/.test(text.slice(name.end, name.end + 4)) ? 'bare' : 'literal' };
  const argument = SETTER.test(before) ? at(ARGUMENT) : null;
  if (argument !== null) return { at: argument, form: null };
  const form = at(FORM_FIELD);
  if (form !== null && before.endsWith('name="')) return { at: form, form: 'literal' };
  const defaulted = at(DEFAULTED);
  if (defaulted !== null) return { at: defaulted, form: null };
  const tuple = /[({][ ]?["']$/.test(before) ? at(ARGUMENT, name.end + (text.charAt(name.end) === ':' ? 1 : 0)) : null;
  if (tuple !== null) return { at: tuple, form: 'bare' };
  const atom = /(?:^|[\s(,]):$/.test(before) ? at(AFTER_ATOM) : null;
  if (atom !== null) return { at: atom, form: null };
  const to = at(TO);
  if (to !== null) return { at: to, form: null };
  const isCall = /\.\w{1,60}$|^(?:set|with)[A-Z_]/.test(name.text) || /\bstd::string[ ]$/.test(before);
  const call = isCall ? at(CALL) : null;
  if (call !== null) return { at: call, form: null };
  const cell = CELL_START.test(before) ? at(CELL) : null;
  if (cell !== null) return { at: cell, form: 'bare' };
  const printed = at(PRINTED);
  if (printed !== null) return { at: printed, form: 'literal' };
  const fallback = VARIABLE.test(name.text) || /\bENV\[["']$/.test(before) ? at(FALLBACK) : null;
  if (fallback !== null) return { at: fallback, form: null };
  const compared = at(COMPARED);
  if (compared !== null) return { at: compared, form: 'bare' };
  const sign = at(SIGN, afterName);
  if (sign !== null) return { at: sign, form: formOf(text, name, afterName, sign) };
  const field = at(FIELD);
  if (field !== null && isLineOfItsOwn(text, name.start)) return { at: field, form: 'bare' };
  const defined = DEFINE.test(before) && !/^pass$/i.test(name.text) ? at(DEFINED) : null;
  if (defined !== null) return { at: defined, form: null };
  const isVerb = VERB.test(before);
  const body = isVerb || NAMED.test(before) ? at(BODY) : null;
  if (body !== null) return { at: body, form: 'literal' };
  const isNamed = /^--?[a-zA-Z]/.test(name.text) || isVerb;
  const gap = isNamed ? (at(GAP) ?? at(GAP, name.end + (/["']/.test(text.charAt(name.end)) ? 1 : 0))) : null;
  if (gap !== null) return PROSE.test(text.slice(gap, gap + MAX_PROSE_CHARS)) ? null : { at: gap, form: 'literal' };
  const isSet = SET.test(before) && !/^pass$/i.test(name.text);
  const spoken = at(SPOKEN, afterName) ?? (isSet ? at(SET_TO, afterName) : null) ?? unsigned(text, name, at);
  return spoken === null ? null : { at: spoken, form: null };
}

function unsigned(text: string, name: Name, at: (pattern: RegExp) => number | null): number | null {
  if (/^pass$/i.test(name.text) || !isLineOfItsOwn(text, name.start)) return null;
  return classifyName(name.text) === 'password' ? at(UNSIGNED) : at(COLUMN);
}

const UPPER_NAME = /^(?:\$env:|[+-])?[A-Z][A-Z0-9_]*$/;
export const CONNECTION =
  /\b(?:server|data source|host|database|dbname|uid|user id|user|username|accountname|endpoint)=[^\s(){}]/i;
/** Options of commands that take `name=value`: `helm --set`, `terraform -var`, `curl -F`, `vault kv put`. */
const SETTING_OPTION =
  /(?:(?:^|[\s"'])(?:export|declare -x|ENV|ARG|set env \S{1,60}|config:set|secrets set|Environment=|--build-arg)[ "']{1,2}|(?:^|\n)Environment=|[\s"'](?:--set(?:-string)?|--form|--data(?:-\w{1,10})?|--env|--extra-vars|-[FdeoDP]|-var)[ =]?|[ ]put[ ][\w/.-]{1,80}[ ]|ansible_)["']?(?:[\w.-]{1,60}=[^\s"',]{0,80},){0,8}[\w.-]{0,60}$/;

/**
 * `NAME=value` is an environment variable; so is `name=value` on its own line, in a query or in a connection string.
 */
function formOf(text: string, name: Name, afterName: number, sign: number): Form | null {
  if (sign - afterName !== 1 || text.charAt(afterName) !== '=' || afterName !== name.end) {
    return text.startsWith(':-', afterName) || isSetting(text, name, sign) ? 'literal' : null;
  }
  const bare = name.text.replace(/^[+-]{1,2}/, '');
  if (UPPER_NAME.test(bare) || name.text.startsWith('-')) return 'literal';
  const before = text.slice(Math.max(0, name.start - 120), name.start);
  if (/(?:[?&]|^|\n)[+-]?$/.test(before) || /(?:^|\n)[^\n]{0,60}\d[→\t|:][ \t]{0,8}[+-]?$/.test(before))
    return 'literal';
  if (SETTING_OPTION.test(before)) return 'literal';
  return /[;"'\s,]\s{0,2}$/.test(before) && CONNECTION.test(before) ? 'literal' : null;
}

const SETTINGS = new RegExp(
  String.raw`(?:^|\n)${GUTTER}(?:\[[\w .:-]{1,60}\]|(?:-[ \t]{1,4})?(?:user(?:name)?|login|host|hostname|database|dbname|email)[ \t]{0,4}[=:][^,;(){}\n]{0,80})[ \t\r]{0,4}\n`,
  'i',
);
const WHOLE_VALUE = /[^\s"'`,;(){}]{1,300}(?=[ \t]{0,20}(?:\r?\n|$))/y;

/** A line of a settings file that follows a user or a section: `name = value`, `name: value`. */
function isSetting(text: string, name: Name, sign: number): boolean {
  if (!isLineOfItsOwn(text, name.start)) return false;
  WHOLE_VALUE.lastIndex = sign;
  return WHOLE_VALUE.test(text) && SETTINGS.test(text.slice(Math.max(0, name.start - 300), name.start));
}

const MAX_BEFORE_NAME = 200;
const LINE_START = new RegExp(String.raw`^${GUTTER}(?:export[ ]{1,4})?$|[:[,][ ]?"$|[→\t][ \t]{0,8}[+-]?(?:export )?$`);

/** A line of a file such as `.env`: only a name precedes the sign, so everything after it is the value. */
export function isLineOfItsOwn(text: string, start: number): boolean {
  const from = Math.max(0, start - MAX_BEFORE_NAME);
  const before = text.slice(from, start);
  const newline = before.lastIndexOf('\n');
  if (newline >= 0 || from === 0) return LINE_START.test(before.slice(newline + 1));
  return /[→\t][ \t]{0,8}[+-]?(?:export )?$/.test(before);
}

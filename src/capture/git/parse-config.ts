export interface ConfigEntry {
  /** In lower case; the subsection keeps its case. */
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  readonly value: string;
}

const SECTION = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Parses the entries of a git configuration file in order; skips lines that git rejects. */
export function parseGitConfig(text: string): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let section = '';
  let subsection: string | null = null;
  for (const line of joinContinued(text)) {
    const head = SECTION.exec(line);
    if (head) {
      const [name = '', ...dotted] = (head[1] ?? '').split('.');
      section = name.toLowerCase();
      subsection = head[2]?.replaceAll(/\\(.)/gs, '$1') ?? (dotted.length > 0 ? dotted.join('.').toLowerCase() : null);
    }
    const [, key, value] =
      /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/s.exec(line.slice(head?.[0].length ?? 0)) ?? [];
    if (key !== undefined)
      entries.push({ section, subsection, key: key.toLowerCase(), value: parseValue(value ?? '') });
  }
  return entries;
}

function joinContinued(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n');
}

/** Drops quotes and resolves escapes; a comment outside quotes ends the value. */
function parseValue(raw: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let at = 0; at < raw.length; at++) {
    const char = raw.charAt(at);
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === '#' || char === ';')) break;
    else if (char === '\\') {
      const next = raw.charAt(++at);
      value += ESCAPES[next] ?? next;
    } else value += char;
    if (isQuoted || !/\s/.test(char)) kept = value.length;
  }
  return value.slice(0, kept);
}

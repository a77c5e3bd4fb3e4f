import { fileName } from '../../../domain/file-path.ts';

/** Languages by file extension, as highlight.js names them. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  cts: 'typescript',
  diff: 'diff',
  go: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'xml',
  html: 'xml',
  ini: 'ini',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  less: 'css',
  lua: 'lua',
  md: 'markdown',
  mdx: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  patch: 'diff',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  scss: 'css',
  sh: 'bash',
  sql: 'sql',
  svelte: 'xml',
  svg: 'xml',
  swift: 'swift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
};

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...Object.values(BY_EXTENSION).map((name) => [name, name] as const),
  ...Object.entries(BY_EXTENSION),
  ['console', 'bash'],
  ['shell', 'bash'],
  ['dockerfile', 'bash'],
  ['makefile', 'bash'],
]);

/** The language of a file; null if it is unknown. */
export function languageOfPath(path: string | null): string | null {
  const name = fileName(path ?? '').toLowerCase();
  return BY_NAME.get(name.includes('.') ? (name.split('.').at(-1) ?? '') : name) ?? null;
}

/** The language of a fenced block: ```` ```ts ````. */
export function languageOfFence(name: string): string | null {
  return BY_NAME.get(name.toLowerCase()) ?? null;
}

import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

const KINDS: ReadonlyMap<string, TokenKind> = new Map([
  ['addition', 'string'],
  ['attr', 'name'],
  ['attribute', 'name'],
  ['built_in', 'type'],
  ['bullet', 'keyword'],
  ['char', 'string'],
  ['code', 'string'],
  ['comment', 'comment'],
  ['deletion', 'removed'],
  ['doctag', 'comment'],
  ['keyword', 'keyword'],
  ['link', 'string'],
  ['literal', 'number'],
  ['meta', 'comment'],
  ['name', 'keyword'],
  ['number', 'number'],
  ['property', 'name'],
  ['quote', 'comment'],
  ['regexp', 'string'],
  ['section', 'title'],
  ['selector-class', 'title'],
  ['selector-id', 'title'],
  ['selector-tag', 'keyword'],
  ['string', 'string'],
  ['symbol', 'number'],
  ['template-variable', 'name'],
  ['title', 'title'],
  ['type', 'type'],
  ['variable', 'name'],
]);

interface TreeNode {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly TreeNode[];
  readonly properties?: { readonly className?: unknown };
}

/** The text as lines of tokens. A token that spans lines is split. */
export function highlightLines(text: string, language: string): Highlighted {
  const lines: Token[][] = [[]];
  const add = (node: TreeNode, kind: TokenKind | null): void => {
    if (node.type === 'text') {
      for (const [at, part] of (node.value ?? '').split('\n').entries()) {
        if (at > 0) lines.push([]);
        if (part !== '') lines.at(-1)?.push([kind, part]);
      }
      return;
    }
    const own = kindOf(node) ?? kind;
    for (const child of node.children ?? []) add(child, own);
  };
  add(lowlight.highlight(language, text), null);
  return lines;
}

function kindOf({ properties }: TreeNode): TokenKind | null {
  const [name] = Array.isArray(properties?.className) ? (properties.className as readonly unknown[]) : [];
  return typeof name === 'string' ? (KINDS.get(name.replace(/^hljs-/, '')) ?? null) : null;
}

export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'title' | 'type' | 'name' | 'removed';
export type Token = readonly [kind: TokenKind | null, text: string];
/** Lines of code as tokens. */
export type Highlighted = readonly (readonly Token[])[];

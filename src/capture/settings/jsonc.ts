/**
 * Reads and edits hand-written JSON with comments and trailing commas. An edit changes nothing else: comments, order,
 * indentation and line endings stay. docs/internals.md compares it with the library `jsonc-parser`.
 */

/** Every node has its position in the text. */
export type JsonNode = JsonContainer | JsonScalar;

interface JsonScalar {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  readonly value: string | number | boolean | null;
}

export interface JsonContainer {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly end: number;
  readonly children: readonly JsonChild[];
}

/** An array item, or an object member with its key. */
export interface JsonChild {
  readonly key: string | null;
  readonly start: number;
  readonly end: number;
  readonly node: JsonNode;
}

/** Deeper than any settings file; limits the parser's recursion. */
const MAX_DEPTH = 200;

export class JsonProblem extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsonProblem';
    this.offset = offset;
  }
}

/** Parses the text. Errors: JsonProblem with the position of the first syntax error. */
export function parseJsonc(text: string): JsonNode {
  const reader = new Reader(text);
  return reader.document();
}

/** Parses text whose root is an object. Errors: JsonProblem. */
export function rootOf(text: string): JsonContainer {
  const root = parseJsonc(text);
  if (root.kind !== 'object') throw new JsonProblem('it is not a JSON object', root.start);
  return root;
}

/** The last of several members with the same key wins, as in every JSON parser. */
export function member(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === 'object' ? node.children.findLast((child) => child.key === key)?.node : undefined;
}

/** The content of a node without its layout and comments, to compare two texts. */
export function serialize(text: string, node: JsonNode): string {
  if (node.kind === 'scalar') return text.slice(node.start, node.end);
  const parts = node.children.map((child) => `${JSON.stringify(child.key)}:${serialize(text, child.node)}`);
  return `${node.kind}(${parts.join()})`;
}

/** Whether a node has this value, in whatever layout. */
export function hasValue(text: string, node: JsonNode, value: unknown): boolean {
  const wanted = JSON.stringify(value);
  return serialize(text, node) === serialize(wanted, parseJsonc(wanted));
}

/** Safety net of an edit: the content that is not ours must be the same. Errors: JsonProblem. */
export function checkEdit(before: string, after: string, foreignContent: (text: string) => string): string {
  if (foreignContent(before) === foreignContent(after)) return after;
  throw new JsonProblem('it cannot be edited without losing something', 0);
}

/** The first position from `at` on that is neither white space nor part of a comment. */
function skipTrivia(text: string, at: number): number {
  for (let position = at; ; ) {
    position = skipSpace(text, position);
    const mark = text.slice(position, position + 2);
    if (mark === '//') position = lineEnd(text, position);
    else if (mark === '/*') position = commentEnd(text, position);
    else return position;
  }
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  if (newline < 0) return text.length;
  return text[newline - 1] === '\r' && newline > at ? newline - 1 : newline;
}

function skipSpace(text: string, at: number): number {
  let position = at;
  while (' \t\r\n'.includes(text[position] ?? 'x')) position++;
  return position;
}

function commentEnd(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  if (end < 0) throw new JsonProblem('a comment is never closed', at);
  return end + 2;
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    this.#skip();
    const node = this.#node(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#problem('there is text after the end of the JSON');
    return node;
  }

  #node(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.#problem(`it is nested deeper than ${MAX_DEPTH} levels`);
    const char = this.#text[this.#at];
    if (char === '{') return this.#container('object', '}', depth);
    if (char === '[') return this.#container('array', ']', depth);
    return this.#scalar();
  }

  #container(kind: 'object' | 'array', close: string, depth: number): JsonContainer {
    const start = this.#at++;
    const children: JsonChild[] = [];
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      children.push(this.#child(kind, depth));
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at++;
      else if (this.#text[this.#at] !== close) throw this.#problem(`a comma or ${close} is missing`);
    }
    this.#at++;
    return { kind, start, end: this.#at, children };
  }

  #child(kind: 'object' | 'array', depth: number): JsonChild {
    const start = this.#at;
    const key = kind === 'object' ? this.#key() : null;
    const node = this.#node(depth + 1);
    return { key, start, end: node.end, node };
  }

  #key(): string {
    const { value } = this.#scalar();
    if (typeof value !== 'string') throw this.#problem('a key must be a string');
    this.#skip();
    if (this.#text[this.#at] !== ':') throw this.#problem('a colon is missing');
    this.#at++;
    this.#skip();
    return value;
  }

  #scalar(): JsonScalar {
    const start = this.#at;
    const pattern = this.#text[start] === '"' ? STRING : WORD;
    pattern.lastIndex = start;
    const source = pattern.exec(this.#text)?.[0];
    if (source === undefined)
      throw this.#problem(start >= this.#text.length ? 'it ends too early' : 'a value is missing');
    this.#at += source.length;
    return { kind: 'scalar', start, end: this.#at, value: JSON.parse(source) as JsonScalar['value'] };
  }

  #skip(): void {
    this.#at = skipTrivia(this.#text, this.#at);
  }

  #problem(message: string): JsonProblem {
    return new JsonProblem(message, this.#at);
  }
}

const DEFAULT_INDENT = '  ';

/** Appends a child to an object (with a key) or an array (without). */
export function insertChild(text: string, container: JsonContainer, key: string | null, value: unknown): string {
  const last = container.children.at(-1);
  return last === undefined
    ? insertFirst(text, container, key, value)
    : insertAfter(text, container, last, sourceOf(key, value));
}

type Source = (layout: Layout | null) => string;

interface Layout {
  readonly indent: string;
  readonly unit: string;
  readonly eol: string;
}

/** The source text of a child: over several lines when a layout is given, else on one line. */
function sourceOf(key: string | null, value: unknown): Source {
  const name = key === null ? '' : `${JSON.stringify(key)}:`;
  return (layout) => {
    if (layout === null) return name + JSON.stringify(value);
    const lines = JSON.stringify(value, null, layout.unit).split('\n');
    return (name && `${name} `) + lines.join(layout.eol + layout.indent);
  };
}

function insertAfter(text: string, container: JsonContainer, last: JsonChild, source: Source): string {
  const comma = skipTrivia(text, last.end);
  const hasComma = text[comma] === ',';
  const isOnOwnLine = startsLine(text, last.start);
  const layout = isOnOwnLine ? { ...documentLayout(text), indent: indentAt(text, last.start) } : null;
  const from = hasComma ? comma + 1 : last.end;
  // A comment after the last child stays with it.
  const position = isOnOwnLine ? Math.min(restOfLine(text, from), container.end - 1) : from;
  const before = layout === null ? '' : layout.eol + layout.indent;
  const added = `${before}${source(layout)}${hasComma ? ',' : ''}`;
  return `${text.slice(0, last.end)}${hasComma ? '' : ','}${text.slice(last.end, position)}${added}${text.slice(position)}`;
}

function insertFirst(text: string, container: JsonContainer, key: string | null, value: unknown): string {
  const inside = text.slice(container.start + 1, container.end - 1).trimEnd();
  const isOneLine = !text.includes('\n') && text.trim() !== text.slice(container.start, container.end);
  const layout = documentLayout(text);
  const outer = indentAt(text, container.start);
  const indent = outer + layout.unit;
  const source = sourceOf(key, value)(isOneLine ? null : { ...layout, indent });
  const added = isOneLine ? source : `${layout.eol}${indent}${source}${layout.eol}${outer}`;
  return text.slice(0, container.start + 1) + inside + added + text.slice(container.end - 1);
}

/** Removes a child with its comma and its line; comments stay. */
export function removeChild(text: string, container: JsonContainer, at: number): string {
  const child = container.children[at];
  if (child === undefined) return text;
  const comma = skipTrivia(text, child.end);
  const hasComma = text[comma] === ',';
  const end = hasComma ? comma + 1 : child.end;
  const start = startOfRemoval(text, child.start, end);
  const previous = container.children[at - 1];
  const orphan = hasComma || previous === undefined ? null : skipTrivia(text, previous.end);
  const head = orphan === null ? text.slice(0, start) : text.slice(0, orphan) + text.slice(orphan + 1, start);
  const remark = hasComma ? text.slice(child.end, comma).trim() : '';
  const isInline = hasComma && start === child.start;
  const removed = head + remark + (isInline ? text.slice(end).replace(/^[ \t]+/, '') : text.slice(end));
  return container.children.length > 1 ? removed : collapse(removed, container.start);
}

/** Removes the member that counts of those with this key. */
export function removeMember(text: string, object: JsonContainer, key: string): string {
  return removeChild(
    text,
    object,
    object.children.findLastIndex((child) => child.key === key),
  );
}

/** A child on its own lines leaves no empty line behind. */
function startOfRemoval(text: string, start: number, end: number): number {
  if (!startsLine(text, start) || text.slice(end, lineEnd(text, end)).trim() !== '') return start;
  const newline = text.lastIndexOf('\n', start);
  return text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** A container that is now empty and has no comments is written as `{}` or `[]`. */
function collapse(text: string, start: number): string {
  const end = start + 1 + (/^\s*/.exec(text.slice(start + 1))?.[0].length ?? 0);
  return '}]'.includes(text[end] ?? 'x') ? text.slice(0, start + 1) + text.slice(end) : text;
}

/** Replaces the value of a node. */
export function replaceNode(text: string, node: JsonNode, value: unknown): string {
  const isOneLine = !text.slice(node.start, node.end).includes('\n');
  const layout = { ...documentLayout(text), indent: indentAt(text, node.start) };
  return text.slice(0, node.start) + sourceOf(null, value)(isOneLine ? null : layout) + text.slice(node.end);
}

function documentLayout(text: string): Omit<Layout, 'indent'> {
  const unit = /^([ \t]+)"/m.exec(text)?.[1] ?? DEFAULT_INDENT;
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function startsLine(text: string, at: number): boolean {
  const newline = text.lastIndexOf('\n', at - 1);
  return newline >= 0 && /^[ \t]*$/.test(text.slice(newline + 1, at));
}

/** The indentation of a line. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The end of the line when only comments follow, else `at`. */
function restOfLine(text: string, at: number): number {
  const end = lineEnd(text, at);
  const rest = text.slice(at, end);
  return /^[ \t]*(?:\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*)*(?:\/\/.*)?$/.test(rest) ? at + rest.trimEnd().length : at;
}

/** Hand-written JSON with comments and trailing commas. Every node knows its position in the text. */
export type JsonNode = JsonContainer | JsonScalar;

export interface JsonScalar {
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

/** The first position from `at` on that is neither white space nor part of a comment. */
export function skipTrivia(text: string, at: number): number {
  for (let position = at; ; ) {
    position = skipSpace(text, position);
    const mark = text.slice(position, position + 2);
    if (mark === '//') position = lineEnd(text, position);
    else if (mark === '/*') position = commentEnd(text, position);
    else return position;
  }
}

export function lineEnd(text: string, at: number): number {
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
    if (this.#at < this.#text.length) throw this.#problem('something follows the end of the JSON');
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

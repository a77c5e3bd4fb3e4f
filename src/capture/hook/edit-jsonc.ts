import { type JsonChild, type JsonContainer, type JsonNode, lineEnd, skipTrivia } from './jsonc.ts';

/** Edits JSON text without changing anything else: comments, order, indentation and line endings stay. */
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

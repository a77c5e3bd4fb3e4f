import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** A node of Markdown as GitHub reads it. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly depth?: number;
  readonly url?: string;
  readonly lang?: string | null;
  readonly children?: readonly MarkdownNode[];
}

export function parseGfm(text: string): MarkdownNode {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

export function nodesOf(node: MarkdownNode): readonly MarkdownNode[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

export function textOfNode({ type, value, children = [] }: MarkdownNode): string {
  return type === 'break' ? '\n' : (value ?? children.map(textOfNode).join(''));
}

/** The HTML of an exported document: collapsed sections, and one line. */
const OURS = /^(?:<\/details>|<details>\n<summary><b>[^<>]*<\/b>(?: <code>[^<>]*<\/code>)?[^<>]*<\/summary>)$/;
const FORBIDDEN: ReadonlySet<string> = new Set([
  'image',
  'imageReference',
  'linkReference',
  'definition',
  'footnoteDefinition',
  'footnoteReference',
]);

/** Nodes that transcript text must never add to a document. */
export function foreignNodes(document: MarkdownNode): readonly string[] {
  return nodesOf(document).flatMap(({ type, value = '', url = '' }) => {
    if (FORBIDDEN.has(type)) return [type];
    if (type === 'link' && !/^(?:https?:\/\/|mailto:)/i.test(url)) return [`link ${url}`];
    return type === 'html' && !OURS.test(value) ? [`html ${value}`] : [];
  });
}

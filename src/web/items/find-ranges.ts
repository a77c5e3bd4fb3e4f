import type { Marker } from './marker.ts';

/** Texts of different blocks are not next to each other, even if nothing is between them in the document. */
const BLOCKS = 'div, p, li, pre, td, th, h1, h2, h3, h4, h5, h6, dt, dd, button, summary, blockquote, section';

/** Where an element shows what a marker finds, even if it is spread over several text nodes. */
export function findRanges(root: HTMLElement, marker: Marker): readonly Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const own = node.parentElement?.closest(BLOCKS) ?? null;
    if (own !== block && text !== '') text += '\n';
    block = own;
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  const spans = marker(text).toSorted((a, b) => a.from - b.from);
  let first = 0;
  return spans.flatMap(({ from, to }) => {
    while ((nodes[first + 1]?.start ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    let last = first;
    while ((nodes[last + 1]?.start ?? Number.POSITIVE_INFINITY) < to) last += 1;
    const [start, end] = [nodes[first], nodes[last]];
    if (start === undefined || end === undefined) return [];
    const range = document.createRange();
    range.setStart(start.node, Math.min(from - start.start, lengthOf(start.node)));
    range.setEnd(end.node, Math.min(to - end.start, lengthOf(end.node)));
    return [range];
  });
}

function lengthOf(node: Node): number {
  return node.nodeValue?.length ?? 0;
}

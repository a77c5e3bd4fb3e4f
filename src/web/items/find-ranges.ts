/** One item rarely has more; a single letter could have thousands. */
const MAX_RANGES = 500;

/** Where an element shows a text, even if it is spread over several text nodes. Upper and lower case are the same. */
export function findRanges(root: HTMLElement, wanted: string): readonly Range[] {
  const nodes: { readonly node: Node; readonly start: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += sameLength(node.nodeValue ?? '');
  }
  const needle = sameLength(wanted);
  const ranges: Range[] = [];
  let first = 0;
  for (
    let at = text.indexOf(needle);
    at >= 0 && ranges.length < MAX_RANGES;
    at = text.indexOf(needle, at + needle.length)
  ) {
    const end = at + needle.length;
    while ((nodes[first + 1]?.start ?? Number.POSITIVE_INFINITY) <= at) first += 1;
    let last = first;
    while ((nodes[last + 1]?.start ?? Number.POSITIVE_INFINITY) < end) last += 1;
    const [from, to] = [nodes[first], nodes[last]];
    if (from === undefined || to === undefined) break;
    const range = document.createRange();
    range.setStart(from.node, at - from.start);
    range.setEnd(to.node, end - to.start);
    ranges.push(range);
  }
  return ranges;
}

/** In lower case, but every character keeps its place: `İ` would become two. */
function sameLength(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : Array.from(text, (char) => lowerChar(char)).join('');
}

function lowerChar(char: string): string {
  const lower = char.toLowerCase();
  return lower.length === char.length ? lower : char;
}

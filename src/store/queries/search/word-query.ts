import type { SearchNode } from '../../../domain/search.ts';
import type { WordQuery } from '../../engine.ts';

/** What the full-text index can narrow a question down to: it gives all places that fit, and perhaps some more. */
export function toWordQuery(node: SearchNode): WordQuery | null {
  if (node.kind === 'text') return { kind: 'words', words: node.words, isPrefix: node.isPrefix };
  if (node.kind === 'any') {
    const queries = node.nodes.map(toWordQuery);
    return queries.every((query) => query !== null) ? { kind: 'any', queries } : null;
  }
  if (node.kind !== 'all') return null;
  const queries = node.nodes.map(toWordQuery).filter((query) => query !== null);
  const without = node.nodes.map(absentWord).filter((query) => query !== null);
  return queries.length === 0 ? null : { kind: 'all', queries, without };
}

/** Of a phrase the index may say too much, so its absence is for the text to tell. */
export function absentWord(node: SearchNode): WordQuery | null {
  const isWord = node.kind === 'not' && node.node.kind === 'text' && node.node.words.length === 1;
  return isWord ? toWordQuery(node.node) : null;
}

import type { SearchNode } from '../../../domain/search.ts';
import type { WordQuery } from '../../engine.ts';

/** Narrows a search to what the full-text index supports: returns all matches and possibly more. */
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

/** The index may overmatch phrases, so the absence of one must be checked in the text. */
export function absentWord(node: SearchNode): WordQuery | null {
  const isWord = node.kind === 'not' && node.node.kind === 'text' && node.node.words.length === 1;
  return isWord ? toWordQuery(node.node) : null;
}

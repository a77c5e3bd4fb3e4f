import type { PatternNode, SearchNode, TextNode } from '../domain/search.ts';
import { type Found, findWords, LookedAt } from './find-words.ts';
import { compilePattern } from './pattern.ts';

/** Further matches in the same place add nothing to the score. */
const MAX_FOUND = 20;

type Leaf = (looked: LookedAt) => Found[];

interface Evidence {
  readonly fields: readonly boolean[];
  found(leaf: number): Found[];
}
type Verdict = (evidence: Evidence) => boolean;

export interface Judge {
  /** Number of words, phrases and patterns that can match a text. */
  readonly leaves: number;
  /**
   * Matches in the text, one list per leaf; null if the text does not match. `fields` are the results from the store.
   */
  judge(text: string, fields: readonly boolean[]): readonly (readonly Found[])[] | null;
  /** The same lists for any text, whether it matches or not. */
  find(text: string): readonly (readonly Found[])[];
}

/** Decides whether a text matches, based on the text itself; the index only finds candidates. */
export function createJudge(node: SearchNode): Judge {
  const plan: Plan = { leaves: [], wanted: [], fields: 0 };
  const verdict = compile(node, plan, true);
  return {
    leaves: plan.wanted.length,
    judge: (text, fields) => {
      const looked = new LookedAt(text);
      const known = new Map<number, Found[]>();
      const found = (leaf: number): Found[] => {
        const list = known.get(leaf) ?? plan.leaves[leaf]?.(looked) ?? [];
        known.set(leaf, list);
        return list;
      };
      return verdict({ fields, found }) ? plan.wanted.map(found) : null;
    },
    find: (text) => {
      const looked = new LookedAt(text);
      return plan.wanted.map((leaf) => plan.leaves[leaf]?.(looked) ?? []);
    },
  };
}

interface Plan {
  readonly leaves: Leaf[];
  /** Leaves that are not negated. */
  readonly wanted: number[];
  fields: number;
}

function compile(node: SearchNode, plan: Plan, isWanted: boolean): Verdict {
  if (node.kind === 'field') {
    const at = plan.fields++;
    return ({ fields }) => fields[at] === true;
  }
  if (node.kind === 'not') {
    const inner = compile(node.node, plan, !isWanted);
    return (evidence) => !inner(evidence);
  }
  if (node.kind === 'all' || node.kind === 'any') {
    const inner = node.nodes.map((item) => compile(item, plan, isWanted));
    if (node.kind === 'all') return (evidence) => inner.every((verdict) => verdict(evidence));
    return (evidence) => inner.some((verdict) => verdict(evidence));
  }
  const leaf = plan.leaves.push(leafOf(node)) - 1;
  if (isWanted) plan.wanted.push(leaf);
  return ({ found }) => found(leaf).length > 0;
}

function leafOf(node: TextNode | PatternNode): Leaf {
  if (node.kind === 'text') return (looked) => findWords(looked, node, MAX_FOUND);
  const find = compilePattern(node);
  return ({ text }) => find(text, MAX_FOUND).map((span) => ({ ...span, isWhole: true }));
}

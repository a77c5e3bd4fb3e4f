import type { SessionDetail } from '../api/sessions.ts';
import type { ToolStats } from '../api/usage.ts';
import { formatCompact, formatCost, formatCount, formatDuration, NOTHING, shortModel } from './format.ts';

/** What is compared about a session. */
export interface Compared {
  readonly session: SessionDetail;
  readonly turns: number;
  readonly tools: readonly ToolStats[];
  readonly files: readonly ComparedFile[];
  readonly commits: readonly { readonly sha: string | null; readonly message: string | null }[];
}

export interface ComparedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly lines_added: number;
  readonly lines_removed: number;
}

/** One fact of both sessions. Numbers have a size, so that the difference can be drawn. */
export interface FactPair {
  readonly name: string;
  readonly texts: readonly [string, string];
  readonly sizes: readonly [number, number] | null;
  /** How the second relates to the first: `1.5×`, `−20%`; empty when nothing can be said. */
  readonly difference: string;
}

export function compareFacts(a: Compared, b: Compared): readonly FactPair[] {
  const text = (name: string, of: (one: Compared) => string): FactPair => {
    return { name, texts: [of(a), of(b)], sizes: null, difference: of(a) === of(b) ? 'same' : '' };
  };
  const number = (name: string, of: (one: Compared) => number | null, format: (value: number | null) => string) => {
    const [first, second] = [of(a), of(b)];
    const sizes = first === null || second === null ? null : ([first, second] as const);
    const difference = sizes === null ? '' : describeRatio(...sizes);
    return { name, texts: [format(first), format(second)] as const, sizes, difference };
  };
  return [
    number('Cost', ({ session }) => session.cost_estimate_usd, formatCost),
    number('Tokens', ({ session }) => tokensOf(session), formatCompact),
    number('Duration', ({ session }) => session.duration_ms, formatDuration),
    number('Turns', ({ turns }) => turns, formatCount),
    number('Messages', ({ session }) => session.total_messages, formatCount),
    number('Tool calls', ({ session }) => session.tool_use_count, formatCount),
    number('Failed calls', ({ session }) => session.work?.failed_calls ?? null, formatCount),
    number('Sub-agents', ({ session }) => session.subagent_count, formatCount),
    number('Files written', ({ files }) => files.filter(({ writes }) => writes > 0).length, formatCount),
    number('Lines added', ({ files }) => sum(files, ({ lines_added }) => lines_added), formatCount),
    number('Lines removed', ({ files }) => sum(files, ({ lines_removed }) => lines_removed), formatCount),
    number('Commits', ({ commits }) => commits.length, formatCount),
    text('Models', ({ session }) => session.models.map(shortModel).join(', ') || NOTHING),
    text('Workspace', ({ session }) => session.workspace_name),
    text('Branch', ({ session }) => session.git_branch ?? NOTHING),
    text('Kind of work', ({ session }) => session.work_kind ?? NOTHING),
  ];
}

function tokensOf({ tokens_in, tokens_out, cache_read_tokens, cache_write_tokens }: SessionDetail): number | null {
  if (tokens_in === null) return null;
  return tokens_in + (tokens_out ?? 0) + (cache_read_tokens ?? 0) + (cache_write_tokens ?? 0);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

const DOUBLE = 2;
const PERCENT = 100;

/** In percent; more than twice as much as a factor. */
export function describeRatio(first: number, second: number): string {
  if (first === second) return 'same';
  if (first === 0 || second === 0) return '';
  const ratio = second / first;
  if (ratio >= DOUBLE) return `${round(ratio)}×`;
  const percent = Math.round((ratio - 1) * PERCENT);
  if (percent === 0) return ratio > 1 ? '<+1%' : '<−1%';
  if (percent === -PERCENT) return '<−99%';
  return percent > 0 ? `+${percent}%` : `−${-percent}%`;
}

function round(ratio: number): string {
  return ratio >= 10 ? formatCount(Math.round(ratio)) : ratio.toFixed(1);
}

export interface NamedPair {
  readonly name: string;
  readonly sizes: readonly [number, number];
}

/** Calls of each tool, the most used one first. */
export function compareTools(a: Compared, b: Compared): readonly NamedPair[] {
  const names = new Set([...a.tools, ...b.tools].map(({ name }) => name));
  const callsOf = ({ tools }: Compared, name: string) => tools.find((tool) => tool.name === name)?.calls ?? 0;
  return [...names]
    .map((name) => ({ name, sizes: [callsOf(a, name), callsOf(b, name)] as const }))
    .toSorted((x, y) => y.sizes[0] + y.sizes[1] - x.sizes[0] - x.sizes[1] || (x.name < y.name ? -1 : 1));
}

export interface FileOverlap {
  readonly both: readonly { readonly path: string; readonly files: readonly [ComparedFile, ComparedFile] }[];
  readonly onlyFirst: readonly ComparedFile[];
  readonly onlySecond: readonly ComparedFile[];
}

/** Which files both sessions touched, and which only one of them; the most changed first. */
export function compareFiles(a: Compared, b: Compared): FileOverlap {
  const others = new Map(b.files.map((file) => [file.path, file]));
  const known = new Set(a.files.map(({ path }) => path));
  const changed = (file: ComparedFile) => file.lines_added + file.lines_removed + file.writes;
  const byChange = (x: ComparedFile, y: ComparedFile) => changed(y) - changed(x) || (x.path < y.path ? -1 : 1);
  const first = a.files.toSorted(byChange);
  return {
    both: first.flatMap((file) => {
      const other = others.get(file.path);
      return other === undefined ? [] : [{ path: file.path, files: [file, other] as const }];
    }),
    onlyFirst: first.filter(({ path }) => !others.has(path)),
    onlySecond: b.files.filter(({ path }) => !known.has(path)).toSorted(byChange),
  };
}

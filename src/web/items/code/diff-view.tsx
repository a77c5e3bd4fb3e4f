import { type ReactNode, useSyncExternalStore } from 'react';
import type { Diff, DiffLine } from '../../../reading/diff.ts';
import styles from './diff.module.css';
import { FoldedLines } from './code-view.tsx';

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'gap' } as const;

interface DiffViewProps {
  readonly diff: Diff;
  readonly label: string;
}

/** A change line by line, with the changed words marked; side by side on wide screens. */
export function DiffView({ diff, label }: DiffViewProps) {
  const isWide = useIsWide();
  const pairs = isWide ? pairLines(diff.lines) : [];
  return (
    <FoldedLines count={isWide ? pairs.length : diff.lines.length} label={label} className={styles['diff']}>
      {(index) =>
        isWide ? <Split key={index} pair={pairs[index]} /> : <Unified key={index} line={diff.lines[index]} />
      }
    </FoldedLines>
  );
}

const WIDE = window.matchMedia('(min-width: 1600px)');

function useIsWide(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      WIDE.addEventListener('change', onChange);
      return () => WIDE.removeEventListener('change', onChange);
    },
    () => WIDE.matches,
  );
}

function Unified({ line }: { readonly line: DiffLine | undefined }) {
  if (line === undefined) return null;
  return (
    <span className={`${styles['line']} ${styles[CLASSES[line.mark]]}`}>
      <span className={styles['sign']}>{line.mark === '…' ? ' ' : line.mark}</span>
      <span>
        <Words line={line} />
        {'\n'}
      </span>
    </span>
  );
}

function Words({ line: { text, parts } }: { readonly line: DiffLine }): ReactNode {
  return parts?.map((part, index) => (part.isChanged ? <mark key={index}>{part.text}</mark> : part.text)) ?? text;
}

interface Pair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Removed lines beside the added lines that replace them. */
function pairLines(lines: readonly DiffLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.mark === '-') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.mark === '+') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

function Split({ pair }: { readonly pair: Pair | undefined }) {
  return (
    <span className={styles['pair']}>
      <Side line={pair?.left ?? null} />
      <Side line={pair?.right ?? null} />
    </span>
  );
}

function Side({ line }: { readonly line: DiffLine | null }) {
  return (
    <span className={`${styles['side']} ${line === null ? styles['empty'] : styles[CLASSES[line.mark]]}`}>
      {line !== null && <Words line={line} />}
    </span>
  );
}

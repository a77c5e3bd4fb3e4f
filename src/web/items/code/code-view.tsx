import type { ReactNode } from 'react';
import { formatCount } from '../../../reading/format.ts';
import { useUnfold } from '../use-unfold.ts';
import styles from './code.module.css';
import type { Highlighted, Token } from './highlight.ts';
import { useHighlight } from './use-highlight.ts';

export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  return tokens.map(([kind, text], index) =>
    kind === null ? (
      text
    ) : (
      <span key={index} className={styles[kind]}>
        {text}
      </span>
    ),
  );
}

interface CodeViewProps {
  readonly text: string;
  readonly language: string | null;
  /** Number of the first line; null for code without numbers. */
  readonly firstNumber?: number | null;
  readonly label: string;
}

const HEAD_LINES = 60;
const TAIL_LINES = 20;

/** Code with highlighting. Of a long text, the beginning and the end are shown until the reader asks for all. */
export function CodeView({ text, language, firstNumber = null, label }: CodeViewProps) {
  const tokens = useHighlight(text, language);
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <FoldedLines
      count={lines.length}
      textOf={(index) => lines[index] ?? ''}
      label={label}
      className={firstNumber === null ? '' : styles['numbered']}
    >
      {(index) => (
        <Line key={index} number={firstNumber === null ? null : firstNumber + index}>
          {lineOf(tokens, index, lines[index] ?? '')}
        </Line>
      )}
    </FoldedLines>
  );
}

function lineOf(tokens: Highlighted | null, index: number, text: string): ReactNode {
  const known = tokens?.[index];
  return known === undefined ? text : <Tokens tokens={known} />;
}

function Line({ number, children }: { readonly number: number | null; readonly children: ReactNode }) {
  return (
    <span className={styles['line']}>
      {number !== null && (
        <span className={styles['lineNumber']} aria-hidden="true">
          {number}
        </span>
      )}
      <span>
        {children}
        {'\n'}
      </span>
    </span>
  );
}

interface FoldedLinesProps {
  readonly count: number;
  readonly textOf: (index: number) => string;
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: (index: number) => ReactNode;
}

/** Lines of a block; the middle of a long one is folded. */
export function FoldedLines({ count, textOf, label, className = '', children }: FoldedLinesProps) {
  const hidden = count - HEAD_LINES - TAIL_LINES;
  // Folding away a few lines would save nothing.
  const isLong = hidden > TAIL_LINES;
  const { isWhole, unfold } = useUnfold(() =>
    isLong ? Array.from({ length: hidden }, (_, at) => textOf(HEAD_LINES + at)).join('\n') : '',
  );
  const isFolded = isLong && !isWhole;
  const draw = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => children(from + at));
  return (
    <pre className={`${styles['code']} ${className}`} aria-label={label} dir="ltr">
      {draw(0, isFolded ? HEAD_LINES : count)}
      {isFolded && (
        <button type="button" className={styles['fold']} onClick={unfold}>
          {formatCount(hidden)} lines between
        </button>
      )}
      {isFolded && draw(count - TAIL_LINES, count)}
    </pre>
  );
}

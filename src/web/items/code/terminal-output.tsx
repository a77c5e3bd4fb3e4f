import { useMemo } from 'react';
import { type AnsiSpan, readAnsi } from '../../../reading/ansi.ts';
import styles from './code.module.css';
import { FoldedLines } from './code-view.tsx';

interface TerminalOutputProps {
  readonly text: string;
  readonly label: string;
  readonly isError?: boolean;
}

/** Output of a command, with the colors of the terminal. */
export function TerminalOutput({ text, label, isError = false }: TerminalOutputProps) {
  const lines = useMemo(() => splitLines(readAnsi(text.trimEnd())), [text]);
  return (
    <FoldedLines
      count={lines.length}
      textOf={(index) => (lines[index] ?? []).map((span) => span.text).join('')}
      label={label}
      className={styles[isError ? 'failed' : 'output']}
    >
      {(index) => (
        <span key={index} className={styles['line']}>
          {lines[index]?.map((span, at) => (
            <span key={at} className={classOf(span)}>
              {span.text}
            </span>
          ))}
          {'\n'}
        </span>
      )}
    </FoldedLines>
  );
}

function classOf({ color, isBold, isDim }: AnsiSpan): string | undefined {
  const names = [color, isBold ? 'bold' : null, isDim ? 'dim' : null];
  return names.flatMap((name) => (name === null ? [] : (styles[name] ?? []))).join(' ') || undefined;
}

function splitLines(spans: readonly AnsiSpan[]): readonly (readonly AnsiSpan[])[] {
  const lines: AnsiSpan[][] = [[]];
  for (const span of spans) {
    for (const [at, text] of span.text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ ...span, text });
    }
  }
  return lines;
}

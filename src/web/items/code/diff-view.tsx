import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Diff, DiffLine } from '../../../reading/diff.ts';
import { PageLink } from '../../routing/page-link.tsx';
import type { Page } from '../../routing/place.ts';
import { FoldedLines } from './code-view.tsx';
import code from './code.module.css';
import styles from './diff.module.css';
import { type Piece, piecesOf } from './pieces.ts';
import type { Highlighted, Token } from './highlight.ts';
import { useHighlight } from './use-highlight.ts';

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same', '…': 'gap' } as const;

interface DiffViewProps {
  readonly diff: Diff;
  readonly language: string | null;
  readonly label: string;
  /** Where the number of a line leads to. */
  readonly linkOf?: ((line: DiffLine) => LineLink | null) | undefined;
}

interface LineLink {
  readonly page: Page;
  readonly title: string;
}

/** A change line by line, with the changed words marked; side by side where there is room. */
export function DiffView({ diff, language, label, linkOf }: DiffViewProps) {
  const [hasRoom, measure] = useIsWide();
  const isWide = hasRoom && diff.removed > 0;
  const tokens = useDiffTokens(diff, language);
  const pairs = useMemo(() => (isWide ? pairLines(diff.lines) : []), [isWide, diff]);
  const isNumbered = diff.lines.some(({ oldNumber, newNumber }) => (oldNumber ?? newNumber) !== undefined);
  const className = `${styles['diff']} ${isNumbered || linkOf !== undefined ? '' : styles['plain']}`;
  return (
    <div ref={measure}>
      <FoldedLines
        count={isWide ? pairs.length : diff.lines.length}
        textOf={(index) => (isWide ? pairText(pairs[index]) : (diff.lines[index]?.text ?? ''))}
        label={label}
        className={className}
      >
        {(index) =>
          isWide ? (
            <Split key={index} pair={pairs[index]} tokens={tokens} linkOf={linkOf} />
          ) : (
            <Unified key={index} line={diff.lines[index]} tokens={tokens} linkOf={linkOf} />
          )
        }
      </FoldedLines>
    </div>
  );
}

type TokensOf = ReadonlyMap<DiffLine, readonly Token[]>;

/** The lines of each side are highlighted as one text, because comments and strings can span lines. */
function useDiffTokens({ lines }: Diff, language: string | null): TokensOf {
  const { before, after } = useMemo(() => {
    const [old, fresh] = [lines.filter(({ mark }) => mark === '-' || mark === ' '), lines.filter(isAfter)];
    return { before: sideOf(old), after: sideOf(fresh) };
  }, [lines]);
  const old = useHighlight(before.text, language);
  const fresh = useHighlight(after.text, language);
  return useMemo(
    () => new Map([...tokensOf(before.lines, old), ...tokensOf(after.lines, fresh)]),
    [before, after, old, fresh],
  );
}

function isAfter({ mark }: DiffLine): boolean {
  return mark === '+' || mark === ' ';
}

function sideOf(lines: readonly DiffLine[]) {
  return { lines, text: lines.map(({ text }) => text).join('\n') };
}

function tokensOf(lines: readonly DiffLine[], tokens: Highlighted | null) {
  return tokens === null ? [] : lines.map((line, at) => [line, tokens[at] ?? []] as const);
}

/** Two columns of code need this much room. */
const WIDE_PX = 860;

function useIsWide(): readonly [boolean, (element: HTMLElement | null) => (() => void) | undefined] {
  const [isWide, setWide] = useState(false);
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWide(element.clientWidth >= WIDE_PX));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [isWide, measure];
}

interface LineProps extends Pick<DiffViewProps, 'linkOf'> {
  readonly line: DiffLine | undefined;
  readonly tokens: TokensOf;
}

function Unified({ line, tokens, linkOf }: LineProps) {
  if (line === undefined) return null;
  if (line.mark === '…') return <Gap text={line.text} />;
  return (
    <span className={`${styles['line']} ${styles[CLASSES[line.mark]]}`}>
      <LineNumber value={line.newNumber ?? line.oldNumber} link={linkOf?.(line)} />
      <span className={styles['sign']}>{line.mark}</span>
      <Text line={line} tokens={tokens} />
    </span>
  );
}

function Gap({ text }: { readonly text: string }) {
  return (
    <span className={styles['gap']}>
      {text}
      {'\n'}
    </span>
  );
}

interface LineNumberProps {
  readonly value: number | undefined;
  readonly link?: LineLink | null | undefined;
}

/** As a link it is for the pointer only: there are too many of them for the Tab key. */
function LineNumber({ value, link = null }: LineNumberProps) {
  if (link !== null) {
    return (
      <PageLink className={`${styles['number']} ${styles['origin']}`} tabIndex={-1} aria-hidden="true" {...link}>
        {value ?? '·'}
      </PageLink>
    );
  }
  return (
    <span className={styles['number']} aria-hidden="true">
      {value ?? ''}
    </span>
  );
}

function Text({ line, tokens }: { readonly line: DiffLine; readonly tokens: TokensOf }) {
  return (
    <span>
      {piecesOf(line, tokens.get(line) ?? null).map((piece, index) => (
        <Words key={index} piece={piece} />
      ))}
      {'\n'}
    </span>
  );
}

function Words({ piece: { text, kind, isChanged } }: { readonly piece: Piece }): ReactNode {
  const className = kind === null ? undefined : code[kind];
  if (isChanged) return <mark className={className}>{text}</mark>;
  return className === undefined ? text : <span className={className}>{text}</span>;
}

interface Pair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

function pairText(pair: Pair | undefined): string {
  return `${pair?.left?.text ?? ''}\n${pair?.right?.text ?? ''}`;
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

interface SplitProps extends Pick<DiffViewProps, 'linkOf'> {
  readonly pair: Pair | undefined;
  readonly tokens: TokensOf;
}

function Split({ pair, tokens, linkOf }: SplitProps) {
  if (pair?.left?.mark === '…') return <Gap text={pair.left.text} />;
  return (
    <span className={styles['pair']}>
      <Side line={pair?.left ?? null} number={pair?.left?.oldNumber} tokens={tokens} linkOf={linkOf} />
      <Side line={pair?.right ?? null} number={pair?.right?.newNumber} tokens={tokens} linkOf={linkOf} />
    </span>
  );
}

interface SideProps extends Pick<DiffViewProps, 'linkOf'> {
  readonly line: DiffLine | null;
  readonly number: number | undefined;
  readonly tokens: TokensOf;
}

function Side({ line, number, tokens, linkOf }: SideProps) {
  if (line === null) return <span className={`${styles['side']} ${styles['empty']}`} />;
  return (
    <span className={`${styles['side']} ${styles[CLASSES[line.mark]]}`}>
      <LineNumber value={number} link={linkOf?.(line)} />
      <Text line={line} tokens={tokens} />
    </span>
  );
}

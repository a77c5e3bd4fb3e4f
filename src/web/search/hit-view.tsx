import type { SearchHit } from '../../api/search.ts';
import { formatClock } from '../../reading/format.ts';
import { hitForm, type HitForm, hitText } from '../../reading/hit-form.ts';
import { PageLink } from '../routing/page-link.tsx';
import { type MarkedPart, markLines } from './mark-highlights.ts';
import { markProse, type ProseRun } from './mark-markdown.ts';
import styles from './hit-view.module.css';

interface HitViewProps {
  readonly sessionId: string;
  readonly query: string;
  readonly hit: SearchHit;
}

/** One match, drawn by its kind; opens the session at it. */
export function HitView({ sessionId, query, hit }: HitViewProps) {
  const form = hitForm(hit);
  const { snippet, highlights } = hitText(hit);
  const lines = markLines(snippet, highlights);
  const isProse = form.body === 'prose' || form.body === 'quote';
  return (
    <PageLink
      className={styles['hit']}
      page={{ kind: 'session', id: sessionId, at: hit.ordinal, block: hit.block, q: query }}
    >
      <span className={styles['label']} data-color={form.color}>
        {form.label}
        {form.failure !== null && <span className={styles['failure']}>{form.failure}</span>}
        {hit.timestamp !== null && <time dateTime={hit.timestamp}>{formatClock(hit.timestamp)}</time>}
      </span>
      <Head head={form.head} />
      <span className={styles['body']} data-body={form.body} dir="auto">
        {isProse ? <Prose lines={lines} /> : lines.map((line, index) => <Line key={index} parts={line} />)}
      </span>
    </PageLink>
  );
}

function Head({ head }: { readonly head: HitForm['head'] }) {
  if (head === null) return null;
  return (
    <span className={styles['head']} data-form={head.form}>
      <bdi>{head.text}</bdi>
    </span>
  );
}

type Parts = readonly MarkedPart[];

/** An empty line keeps its height. */
function Line({ parts }: { readonly parts: Parts }) {
  return <span className={styles['line']}>{parts.length === 0 ? '\u00a0' : <Marked parts={parts} />}</span>;
}

function Prose({ lines }: { readonly lines: readonly Parts[] }) {
  return markProse(lines).map(({ form, runs }, index) => (
    <span key={index} className={styles['line']} data-form={form}>
      {runs.length === 0 ? '\u00a0' : runs.map((run, at) => <Run key={at} run={run} />)}
    </span>
  ));
}

const ELEMENTS = { code: 'code', strong: 'b', emphasis: 'em' } as const;

function Run({ run: { form, parts } }: { readonly run: ProseRun }) {
  const marked = <Marked parts={parts} />;
  if (form === 'text') return marked;
  const Element = ELEMENTS[form];
  return <Element>{marked}</Element>;
}

function Marked({ parts }: { readonly parts: Parts }) {
  return parts.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text));
}

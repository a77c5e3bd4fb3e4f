import type { SearchHit } from '../../api/search.ts';
import { formatClock } from '../../reading/format.ts';
import { hitForm, type HitForm } from '../../reading/hit-form.ts';
import { PageLink } from '../routing/page-link.tsx';
import { type MarkedPart, markLines } from './mark-highlights.ts';
import styles from './hit-view.module.css';

interface HitViewProps {
  readonly sessionId: string;
  readonly query: string;
  readonly hit: SearchHit;
}

/** One match, drawn like the thing that it is; opens the session there. */
export function HitView({ sessionId, query, hit }: HitViewProps) {
  const form = hitForm(hit);
  const lines = markLines(hit.snippet, hit.highlights);
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
        {lines.map((line, index) => (
          <span key={index} className={styles['line']}>
            <Line line={line} />
          </span>
        ))}
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

/** An empty line keeps its height. */
function Line({ line }: { readonly line: readonly MarkedPart[] }) {
  if (line.length === 0) return '\u00a0';
  return line.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text));
}

import { useState } from 'react';
import type { CompactionDiff, LostItem } from '../../../api/session-views.ts';
import type { ApiBase } from '../../../client/client.ts';
import { formatCompact, plural, withoutCodeMarks } from '../../../reading/format.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { ErrorNotice, Loading } from '../../shell/notice.tsx';
import { Markdown } from '../../text/markdown-view.tsx';
import { useCompactionDiff } from '../queries.ts';
import styles from './context.module.css';

interface CompactionDiffViewProps {
  readonly base: ApiBase;
  readonly sessionId: string;
  readonly compactionId: string;
}

/** On the left what was in the context, on the right the summary; what it does not mention is struck through. */
export function CompactionDiffView({ base, sessionId, compactionId }: CompactionDiffViewProps) {
  const { data: diff, error } = useCompactionDiff(base, sessionId, compactionId);
  const [text, setText] = useState('');
  const [isLostOnly, setLostOnly] = useState(false);
  if (error !== null) return <ErrorNotice error={error} />;
  if (diff === undefined) return <Loading what="Comparing" />;
  const wanted = text.trim().toLowerCase();
  const shown = diff.items.filter(
    (item) => !(isLostOnly && item.is_kept) && item.parts.some((part) => part.text.toLowerCase().includes(wanted)),
  );
  return (
    <section className={styles['diff']} aria-label="What the compaction lost">
      <header className={styles['diff-head']}>
        <h2>{headline(diff)}</h2>
        <input
          type="search"
          aria-label="Find in the previous context"
          placeholder="Find in the previous context"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <label>
          <input type="checkbox" checked={isLostOnly} onChange={(event) => setLostOnly(event.target.checked)} /> only
          lost
        </label>
      </header>
      <div className={styles['sides']}>
        <div>
          <h3>Before</h3>
          {shown.length === 0 && <p className={styles['empty']}>Nothing matches.</p>}
          {GROUPS.map(([kind, name]) => (
            <ItemGroup
              key={kind}
              name={name}
              items={shown.filter((item) => item.kind === kind)}
              sessionId={sessionId}
            />
          ))}
          {!diff.is_complete && <p className={styles['empty']}>Only the first 500 of each kind are compared.</p>}
        </div>
        <div>
          <h3>Summary</h3>
          {diff.summary === null ? (
            <p className={styles['empty']}>Old results were cleared; no summary was written.</p>
          ) : (
            <div className={styles['summary']}>
              <Markdown text={diff.summary} />
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

const GROUPS = [
  ['prompt', 'Prompts'],
  ['decision', 'Decisions'],
  ['file', 'Files'],
  ['result', 'Cleared results'],
] as const;

function headline({ kept, lost, pre_tokens, post_tokens }: CompactionDiff): string {
  const size = pre_tokens === null ? '' : ` of ${formatCompact(pre_tokens)} tokens`;
  const after = post_tokens === null ? '' : ` to ${formatCompact(post_tokens)}`;
  return `Compaction${size}${after}: ${plural(lost, 'item')} lost, ${kept} kept`;
}

interface ItemGroupProps {
  readonly name: string;
  readonly items: readonly LostItem[];
  readonly sessionId: string;
}

function ItemGroup({ name, items, sessionId }: ItemGroupProps) {
  if (items.length === 0) return null;
  return (
    <>
      <h4>{name}</h4>
      <ul className={styles['items']}>
        {items.map(({ ordinal, parts, kind }, at) => (
          <li key={at} data-kind={kind}>
            <PageLink page={{ kind: 'session', id: sessionId, at: ordinal }}>
              {parts.map((part, number) => (
                <Sentence key={number} {...part} />
              ))}
            </PageLink>
          </li>
        ))}
      </ul>
    </>
  );
}

function Sentence({ text, is_kept }: LostItem['parts'][number]) {
  const plain = withoutCodeMarks(text);
  return is_kept ? <span dir="auto">{plain} </span> : <del dir="auto">{plain} </del>;
}

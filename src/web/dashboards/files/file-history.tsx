import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FileChange } from '../../../api/work.ts';
import { createBlame, type Diff, diffEdits, type DiffLine, diffPatch, formatChange } from '../../../reading/diff.ts';
import { firstLine, formatDateTime, formatExact, withoutCodeMarks } from '../../../reading/format.ts';
import { titleOf } from '../../../reading/names.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { editsOf } from '../../../reading/tool-view.ts';
import { CLIENTS } from '../../api/client.ts';
import { DiffView } from '../../items/code/diff-view.tsx';
import { languageOfPath } from '../../items/code/languages.ts';
import { PageLink } from '../../routing/page-link.tsx';
import type { Page } from '../../routing/place.ts';
import { useRealm } from '../../routing/realm.ts';
import dashboardStyles from '../dashboard.module.css';
import styles from './file-history.module.css';

const PAGE_CHANGES = 20;

/** What changed a file, newest session first: each change with the prompt that asked for it. */
export function FileHistory({ path }: { readonly path: string }) {
  const { base } = useRealm();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [base, 'files', 'changes', path],
    queryFn: ({ pageParam, signal }) =>
      CLIENTS[base].get('/files/changes', { query: { path, limit: PAGE_CHANGES, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const changes = useMemo(() => data?.pages.flatMap((page) => page.changes) ?? [], [data]);
  const diffs = useMemo(() => changes.map(diffOf), [changes]);
  const originOf = useMemo(() => createBlame(diffs), [diffs]);
  const now = new Date();
  return (
    <section className={dashboardStyles['section']} aria-label="History">
      <h2 className={styles['path']}>
        <bdi>{path}</bdi>
      </h2>
      <p className={dashboardStyles['note']}>
        <PageLink className={styles['link']} page={{ kind: 'list', q: sessionsQuery({ file: path }) }}>
          Sessions that touched this file
        </PageLink>
      </p>
      {data === undefined && (
        <p className={dashboardStyles['note']}>{error === null ? 'Loading changes…' : error.message}</p>
      )}
      {data !== undefined && changes.length === 0 && (
        <p className={dashboardStyles['note']}>No session changed this file.</p>
      )}
      <ol className={styles['changes']}>
        {changes.map((change, at) => (
          <Change
            key={`${change.session_id} ${change.id}`}
            change={change}
            diff={diffs[at] ?? null}
            originOf={(line) => changes[originOf(at, line)] ?? null}
            now={now}
          />
        ))}
      </ol>
      {hasNextPage && (
        <p>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier changes
          </button>
        </p>
      )}
    </section>
  );
}

const MAX_PROMPT_CHARS = 240;

interface ChangeProps {
  readonly change: FileChange;
  readonly diff: Diff | null;
  /** The change that a line comes from. */
  readonly originOf: (line: DiffLine) => FileChange | null;
  readonly now: Date;
}

function Change({ change, diff, originOf, now }: ChangeProps) {
  const { session_id, started_at, ordinal, block, path } = change;
  return (
    <li className={styles['change']}>
      <p className={styles['prompt']}>
        <PageLink page={promptPage(change)}>
          <span dir="auto">{promptText(change)}</span>
        </PageLink>
      </p>
      <p className={styles['facts']}>
        <PageLink className={styles['link']} page={{ kind: 'session', id: session_id, at: ordinal, block }}>
          {change.action === 'create' ? 'Written' : 'Edited'}{' '}
          {formatChange({ added: change.lines_added, removed: change.lines_removed })}
        </PageLink>
        {started_at !== null && (
          <time dateTime={started_at} title={formatExact(started_at)}>
            {formatDateTime(started_at, now)}
          </time>
        )}
        <bdi>{titleOf({ title: change.session_title })}</bdi>
        <bdi>{change.workspace_name}</bdi>
      </p>
      {diff === null ? (
        <p className={dashboardStyles['note']}>The change is too long to be shown here; the session has it.</p>
      ) : (
        <DiffView
          diff={diff}
          language={languageOfPath(path)}
          label={`Change of ${path}`}
          linkOf={(line) => {
            const origin = originOf(line);
            return origin && { page: promptPage(origin), title: `From the prompt “${promptText(origin)}”` };
          }}
        />
      )}
    </li>
  );
}

function promptPage({ session_id, prompt_ordinal, ordinal }: FileChange): Page {
  return { kind: 'session', id: session_id, at: prompt_ordinal ?? ordinal };
}

function promptText({ prompt }: FileChange): string {
  return prompt === null ? '(no prompt)' : firstLine(withoutCodeMarks(prompt), MAX_PROMPT_CHARS);
}

/** The patch that the client reported; otherwise what was asked for. */
function diffOf({ patch, input }: FileChange): Diff | null {
  if (patch !== null && patch.length > 0) return diffPatch(patch);
  const edits = editsOf(input);
  return edits.length === 0 ? null : diffEdits(edits);
}

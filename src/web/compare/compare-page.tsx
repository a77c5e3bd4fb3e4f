import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import type { ApiBase } from '../../client/client.ts';
import { isOwnCommit, shortSha } from '../../domain/commits.ts';
import { CLIENTS } from '../api/client.ts';
import { useShortcuts } from '../keyboard.ts';
import {
  type Compared,
  compareFacts,
  compareFiles,
  compareTools,
  type ComparedFile,
  type FactPair,
} from '../../reading/compare.ts';
import { formatCount, formatDateTime, formatExact, plural } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { useGo } from '../routing/use-go.ts';
import { ErrorNotice, Loading } from '../shell/notice.tsx';
import { useShare } from '../charts/size.ts';
import styles from './compare-page.module.css';

const PAGE_ROWS = 200;
/** Longer lists are cut, and the page says so. */
const MAX_PAGES = 10;

export function ComparePage() {
  const { base } = useRealm();
  const { a = '', b = '' } = useParams({ strict: false });
  const first = useCompared(base, a);
  const second = useCompared(base, b);
  const go = useGo();
  useShortcuts('Comparison', [
    { keys: ['s'], label: 'Swap the sessions', run: () => go({ kind: 'compare', a: b, b: a }, { isReplacing: true }) },
    { keys: ['Escape'], label: 'Back to the sessions', run: () => go({ kind: 'list' }) },
  ]);
  useEffect(() => {
    document.title = 'Compare · fuel-code';
    return () => void (document.title = 'fuel-code');
  }, []);
  const error = first.error ?? second.error;
  if (error !== null) return <ErrorNotice error={error} />;
  if (first.data === undefined || second.data === undefined) return <Loading what="Loading both sessions" />;
  return <Comparison a={first.data} b={second.data} />;
}

function useCompared(base: ApiBase, id: string) {
  return useQuery({
    queryKey: [base, 'session', id, 'compared'],
    queryFn: ({ signal }) => readCompared(base, id, signal),
  });
}

async function readCompared(base: ApiBase, id: string, signal: AbortSignal): Promise<Compared> {
  const { get } = CLIENTS[base];
  const params = { id };
  const session = await get('/sessions/:id', { params, signal });
  const [turns, files, git, { tools }] = await Promise.all([
    readAll(async (after) => {
      const page = await get('/sessions/:id/turns', { params, query: { after, limit: PAGE_ROWS }, signal });
      return [page.turns, page.next_after];
    }),
    readAll(async (after) => {
      const page = await get('/sessions/:id/files', { params, query: { after, limit: PAGE_ROWS }, signal });
      return [page.files, page.next_after];
    }),
    get('/sessions/:id/git', { params, signal }),
    get('/tools', { query: { session: session.id, all: true, limit: PAGE_ROWS }, signal }),
  ]);
  const commits = git.git_activity.filter(isOwnCommit).map(({ commit_sha, message }) => ({ sha: commit_sha, message }));
  return { session, turns: turns.filter(({ agent_id }) => agent_id === null).length, files, tools, commits };
}

async function readAll<T>(
  read: (after: number | undefined) => Promise<readonly [readonly T[], number | null]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let after: number | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const [rows, next] = await read(after);
    all.push(...rows);
    if (next === null) break;
    after = next;
  }
  return all;
}

interface PairProps {
  readonly a: Compared;
  readonly b: Compared;
}

function Comparison({ a, b }: PairProps) {
  return (
    <main className={`scroll ${styles['page']}`} tabIndex={0} aria-label="Comparison of two sessions">
      <header className={styles['head']}>
        <Head compared={a} letter="A" />
        <PageLink
          className={`${styles['swap']} no-print`}
          page={{ kind: 'compare', a: b.session.id, b: a.session.id }}
          aria-label="Swap the sessions"
          title="Swap (s)"
        >
          <ArrowLeftRight size={18} aria-hidden="true" />
        </PageLink>
        <Head compared={b} letter="B" />
      </header>
      <Section title="Summary">
        <div className={styles['columns']}>
          {[a, b].map(({ session }, at) => (
            <div key={session.id} className={styles['summary']}>
              <span className={styles['letter']}>{'AB'[at]}</span>
              <p dir="auto">{session.summary ?? 'No summary yet.'}</p>
            </div>
          ))}
        </div>
      </Section>
      <Section title="Figures">
        <table className={styles['facts']}>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
              <th scope="col">B vs. A</th>
            </tr>
          </thead>
          <tbody>
            {compareFacts(a, b).map((fact) => (
              <FactRow key={fact.name} fact={fact} />
            ))}
          </tbody>
        </table>
      </Section>
      <Tools a={a} b={b} />
      <Files a={a} b={b} />
      <Commits a={a} b={b} />
    </main>
  );
}

function Head({ compared: { session }, letter }: { readonly compared: Compared; readonly letter: string }) {
  return (
    <div className={styles['session']}>
      <h2>
        <span className={styles['letter']}>{letter}</span>
        <PageLink page={{ kind: 'session', id: session.id }}>
          <bdi>{titleOf(session)}</bdi>
        </PageLink>
      </h2>
      <p title={formatExact(session.started_at)}>
        {formatDateTime(session.started_at, new Date())} · <bdi>{session.workspace_name}</bdi>
      </p>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles['section']}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function FactRow({ fact: { name, texts, sizes, difference } }: { readonly fact: FactPair }) {
  const most = sizes === null ? 0 : Math.max(...sizes);
  return (
    <tr className={difference === 'same' ? styles['same'] : undefined}>
      <th scope="row">{name}</th>
      {texts.map((text, index) => (
        <td key={index}>
          <bdi>{text}</bdi>
          {sizes !== null && most > 0 && <Bar share={(sizes[index] ?? 0) / most} />}
        </td>
      ))}
      <td className={styles['difference']}>{difference}</td>
    </tr>
  );
}

function Bar({ share }: { readonly share: number }) {
  return <span ref={useShare(share)} className={styles['bar']} />;
}

function Tools({ a, b }: PairProps) {
  const tools = compareTools(a, b);
  if (tools.length === 0) return null;
  const most = Math.max(...tools.flatMap(({ sizes }) => sizes));
  return (
    <Section title="Tool calls">
      <table className={styles['facts']}>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {tools.map(({ name, sizes }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              {sizes.map((size, index) => (
                <td key={index}>
                  {formatCount(size)}
                  <Bar share={size / most} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Files({ a, b }: PairProps) {
  const { both, onlyFirst, onlySecond } = compareFiles(a, b);
  if (both.length + onlyFirst.length + onlySecond.length === 0) return null;
  return (
    <Section title="Files">
      <h3>{both.length === 0 ? 'No file in common' : `In both: ${plural(both.length, 'file')}`}</h3>
      <ul className={styles['files']}>
        {both.map(({ path, files }) => (
          <li key={path}>
            <bdi title={path}>{path}</bdi>
            <Change file={files[0]} />
            <Change file={files[1]} />
          </li>
        ))}
      </ul>
      <div className={styles['columns']}>
        <OnlyIn letter="A" files={onlyFirst} />
        <OnlyIn letter="B" files={onlySecond} />
      </div>
    </Section>
  );
}

function OnlyIn({ letter, files }: { readonly letter: string; readonly files: readonly ComparedFile[] }) {
  return (
    <div>
      <h3>
        Only in {letter}: {plural(files.length, 'file')}
      </h3>
      <ul className={styles['files']}>
        {files.map((file) => (
          <li key={file.path}>
            <bdi title={file.path}>{file.path}</bdi>
            <Change file={file} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Change({ file }: { readonly file: ComparedFile }) {
  if (file.writes === 0) return <span>read</span>;
  return (
    <span>
      +{formatCount(file.lines_added)} −{formatCount(file.lines_removed)}
    </span>
  );
}

function Commits({ a, b }: PairProps) {
  if (a.commits.length + b.commits.length === 0) return null;
  return (
    <Section title="Commits">
      <div className={styles['columns']}>
        {[a, b].map(({ session, commits }) => (
          <ul key={session.id} className={styles['commits']}>
            {commits.length === 0 && <li>None</li>}
            {commits.map(({ sha, message }, index) => (
              <li key={index}>
                <code>{sha === null ? '?' : shortSha(sha)}</code> <bdi>{message?.split('\n', 1)[0]}</bdi>
              </li>
            ))}
          </ul>
        ))}
      </div>
    </Section>
  );
}

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { buildFileTree, type FileNode, heatOf } from '../../../reading/file-tree.ts';
import { formatCount, plural } from '../../../reading/format.ts';
import { sessionsQuery } from '../../../reading/session-query.ts';
import { CLIENTS } from '../../api/client.ts';
import { ZONE } from '../../api/queries.ts';
import { useEntryState } from '../../routing/entry-state.ts';
import { PageLink } from '../../routing/page-link.tsx';
import { useRealm } from '../../routing/realm.ts';
import { BAR, type Column, FigureTable, Toggle } from '../figure-table.tsx';
import { Dashboard, Loaded } from '../frame.tsx';
import { type Period, PeriodPicker, usePeriod } from '../periods.tsx';
import { ShareBar } from '../share-bar.tsx';
import { useFilter } from '../use-filter.ts';
import styles from '../dashboard.module.css';
import { FileHistory } from './file-history.tsx';

const MAX_FILES = 2_000;

const COLUMNS: readonly Column[] = [
  { title: 'File' },
  { title: 'Reads', isWide: true },
  { title: 'Edits' },
  { title: 'Lines' },
  { title: 'Sessions', isWide: true },
  BAR,
];

function useFiles(period: Period) {
  const { base } = useRealm();
  const q = sessionsQuery(period);
  return useQuery({
    queryKey: [base, 'files', period],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/files', { query: { ...(q === '' ? {} : { q }), zone: ZONE, limit: MAX_FILES }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Which files were read and changed; a file opens its history. */
export function FilesPage() {
  const [filter] = useFilter('files');
  const period = usePeriod('files');
  if (filter.path !== undefined) return <OneFile path={filter.path} />;
  return <Tree period={period} />;
}

function OneFile({ path }: { readonly path: string }) {
  const [{ days }] = useFilter('files');
  return (
    <Dashboard
      name="files"
      head={
        <PageLink
          className="button"
          page={{ kind: 'dashboard', name: 'files', filter: days === undefined ? {} : { days } }}
        >
          All files
        </PageLink>
      }
    >
      <FileHistory path={path} />
    </Dashboard>
  );
}

function Tree({ period }: { readonly period: Period }) {
  return (
    <Dashboard name="files" head={<PeriodPicker name="files" />}>
      <Loaded what="Counting files" query={useFiles(period)}>
        {({ files }) => (
          <>
            {files.length === MAX_FILES && (
              <p className={styles['note']}>
                The {formatCount(MAX_FILES)} most changed files are shown; there are more.
              </p>
            )}
            <FileTable files={files} period={period} />
          </>
        )}
      </Loaded>
    </Dashboard>
  );
}

type Files = Parameters<typeof buildFileTree>[0];

function FileTable({ files, period }: { readonly files: Files; readonly period: Period }) {
  const tree = useMemo(() => buildFileTree(files), [files]);
  if (files.length === 0) return <p className={styles['note']}>No file was read or changed in this period.</p>;
  return (
    <FigureTable label="Files" columns={COLUMNS}>
      <Nodes nodes={tree} level={0} period={period} />
    </FigureTable>
  );
}

interface NodesProps {
  readonly nodes: readonly FileNode[];
  readonly level: number;
  readonly period: Period;
}

/** The entries of a folder. Each is compared with the hottest one beside it, so that the bars lead to the busy files. */
function Nodes({ nodes, level, period }: NodesProps) {
  const most = Math.max(...nodes.map(heatOf), 1);
  return nodes.map((node) => (
    <NodeRows key={node.path} node={node} level={level} share={heatOf(node) / most} period={period} />
  ));
}

interface NodeRowsProps {
  readonly node: FileNode;
  readonly level: number;
  readonly share: number;
  readonly period: Period;
}

const OPEN_LEVELS = 2;
const MAX_INDENT = 8;

function NodeRows({ node, level, share, period }: NodeRowsProps) {
  const [isOpen, setOpen] = useEntryState(`folder ${node.path}`, level < OPEN_LEVELS);
  const { since, until } = period;
  return (
    <>
      <tr>
        <th scope="row" data-level={Math.min(level, MAX_INDENT)}>
          {node.file === null ? (
            <Toggle
              name={node.name}
              title={node.path}
              isOpen={isOpen}
              onToggle={() => setOpen(!isOpen)}
              about={plural(node.files, 'file')}
              isCode
            />
          ) : (
            <FileLink node={node} />
          )}
        </th>
        <td className={styles['wide']}>{node.reads === 0 ? '–' : formatCount(node.reads)}</td>
        <td>{node.writes === 0 ? '–' : formatCount(node.writes)}</td>
        <td>
          <Lines node={node} />
        </td>
        <td className={styles['wide']}>
          {node.file !== null && (
            <PageLink page={{ kind: 'list', q: sessionsQuery({ since, until, file: node.path }) }}>
              {formatCount(node.file.sessions)}
            </PageLink>
          )}
        </td>
        <td className={styles['wide']}>
          <ShareBar share={share} />
        </td>
      </tr>
      {isOpen && <Nodes nodes={node.children} level={level + 1} period={period} />}
    </>
  );
}

function FileLink({ node }: { readonly node: FileNode }) {
  const [{ days }] = useFilter('files');
  const filter = { ...(days === undefined ? {} : { days }), path: node.path };
  return (
    <PageLink className={styles['leaf']} page={{ kind: 'dashboard', name: 'files', filter }} title={node.path}>
      <bdi className={styles['mono']}>{node.name.replace(/^[/\\]/, '')}</bdi>
    </PageLink>
  );
}

function Lines({ node: { lines_added, lines_removed } }: { readonly node: FileNode }) {
  if (lines_added === 0 && lines_removed === 0) return '–';
  return (
    <>
      <span className={styles['good']}>+{formatCount(lines_added)}</span>{' '}
      <span className={styles['bad']}>−{formatCount(lines_removed)}</span>
    </>
  );
}

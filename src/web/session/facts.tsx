import type { ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions.ts';
import { fileName } from '../../domain/file-path.ts';
import { EditableSummary, Notes, Tags } from '../annotate/annotations.tsx';
import { useRealm } from '../routing/realm.ts';
import { costTitle } from '../../reading/session-facts.ts';
import {
  formatBytes,
  formatCompact,
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  plural,
} from '../../reading/format.ts';

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

function Tokens({ session }: { readonly session: SessionDetail }) {
  return (
    <dl className="facts">
      <Fact name="Input">{formatCompact(session.tokens_in)}</Fact>
      <Fact name="Output">{formatCompact(session.tokens_out)}</Fact>
      <Fact name="Cache read">{formatCompact(session.cache_read_tokens)}</Fact>
      <Fact name="Cache write">{formatCompact(session.cache_write_tokens)}</Fact>
    </dl>
  );
}

function Work({ session }: { readonly session: SessionDetail }) {
  return (
    <dl className="facts">
      <Fact name="Messages">{formatCount(session.total_messages)}</Fact>
      <Fact name="Tool calls">{formatCount(session.tool_use_count)}</Fact>
      {(session.subagent_count ?? 0) > 0 && <Fact name="Sub-agents">{formatCount(session.subagent_count)}</Fact>}
      <Fact name="Duration">{formatDuration(session.duration_ms)}</Fact>
    </dl>
  );
}

function Where({ session }: { readonly session: SessionDetail }) {
  return (
    <dl className="facts facts-wide">
      <Fact name="Workspace">{session.workspace_name}</Fact>
      {session.cwd !== null && <Fact name="Folder">{session.cwd}</Fact>}
      {session.git_branch !== null && <Fact name="Branch">{session.git_branch}</Fact>}
      <Fact name="Models">{session.models.join(', ') || 'none'}</Fact>
      <Fact name="Device">{session.device_name}</Fact>
      {session.cc_version !== null && <Fact name="Claude Code">{session.cc_version}</Fact>}
      <Fact name="Started">{formatExact(session.started_at)}</Fact>
      <Fact name="Session">{session.id}</Fact>
    </dl>
  );
}

/** The number of lines read, and irregular lines by kind. */
function Lines({ session }: { readonly session: SessionDetail }) {
  const { total, salvaged, skipped } = session.lines;
  const kinds = Object.entries(session.anomalies).filter(([, count]) => count > 0);
  return (
    <div className="lines">
      <p>{plural(total, 'line')} read.</p>
      {salvaged > 0 && <p className="warning">{plural(salvaged, 'line was', 'lines were')} salvaged.</p>}
      {skipped > 0 && <p className="warning">{plural(skipped, 'line was', 'lines were')} skipped.</p>}
      {kinds.length > 0 && (
        <ul className="anomalies">
          {kinds.map(([kind, count]) => (
            <li key={kind}>
              <bdi>{kind.replaceAll('_', ' ')}</bdi> <span>{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Files({ session }: { readonly session: SessionDetail }) {
  return (
    <ul className="files">
      {session.files.map((file) => (
        <li key={file.path} title={file.sha256 === null ? undefined : `SHA-256 ${file.sha256}`}>
          <bdi>{fileName(file.path)}</bdi> <span>{formatBytes(file.size_bytes)}</span>
        </li>
      ))}
    </ul>
  );
}

const SUMMARY_HEADS = { narrative: 'Summary', ai: 'AI summary', human: 'Summary (manual)' } as const;

/** All facts about a session apart from its messages. */
export function Facts({ session }: { readonly session: SessionDetail }) {
  const { isDemo } = useRealm();
  return (
    <>
      <p className="fact-cost" title={costTitle(session)}>
        {formatCost(session.cost_estimate_usd, session.unknown_models)}
        <span>{session.unknown_models.length > 0 ? 'excluding models without a known price' : 'at list prices'}</span>
      </p>
      <h2>{SUMMARY_HEADS[session.summary_kind ?? 'narrative']}</h2>
      <div className="summary">
        <EditableSummary session={session} />
      </div>
      {session.work_kind === null ? null : <p className="summary">Kind of work: {session.work_kind}</p>}
      {(!isDemo || session.tags.length > 0) && (
        <>
          <h2>Tags</h2>
          <Tags session={session} />
        </>
      )}
      {(!isDemo || session.notes.length > 0) && (
        <>
          <h2>Notes</h2>
          <div className="summary">
            <Notes session={session} />
          </div>
        </>
      )}
      <h2>Tokens</h2>
      <Tokens session={session} />
      <h2>Work</h2>
      <Work session={session} />
      <h2>Place</h2>
      <Where session={session} />
      <h2>Transcript</h2>
      <Lines session={session} />
      <Files session={session} />
    </>
  );
}

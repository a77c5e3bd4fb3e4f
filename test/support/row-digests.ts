import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { blockRows, tableRows } from '../../src/store/queries/transcript/revision-rows.ts';
import { outcomeOf } from '../../src/store/queries/transcript/session-outcome.ts';
import { createDrift, formatDrift } from '../../src/transcript/drift.ts';
import { findFiles } from '../../src/transcript/testing/find-sessions.ts';
import { parseFiles, SESSION, type TestFile } from '../../src/transcript/testing/parse-text.ts';

const TRANSCRIPT = join(import.meta.dirname, '../../src/transcript');
const AGENT_FILE = /^agent-(.+)\.jsonl$/;

/** One SHA-256 over everything that the parser produces from the committed fixtures, as rows of the store. */
export function digestOfRows(): string {
  const hash = createHash('sha256');
  for (const [name, files] of fixtureSessions()) hash.update(`${name}\n${rowsOf(files)}\n`);
  return hash.digest('hex');
}

/** A fixture is a separate session; a folder of fixtures is one session with its sub-agents. */
function fixtureSessions(): readonly (readonly [string, readonly TestFile[]])[] {
  const folders = [join(TRANSCRIPT, 'fixtures'), join(TRANSCRIPT, 'schema/fixtures')];
  const paths = folders.flatMap((folder) => [...findFiles(folder, '.jsonl')]).toSorted();
  const groups = Map.groupBy(paths, (path) => (basename(dirname(path)) === 'fixtures' ? path : dirname(path)));
  return [...groups].map(([name, members]) => [name.slice(TRANSCRIPT.length), mainFirst(members).map(readFixture)]);
}

function mainFirst(paths: readonly string[]): readonly string[] {
  return paths.toSorted((a, b) => Number(AGENT_FILE.test(basename(a))) - Number(AGENT_FILE.test(basename(b))));
}

function readFixture(path: string): TestFile {
  const agentId = AGENT_FILE.exec(basename(path))?.[1];
  return { bytes: readFileSync(path), name: basename(path), ...(agentId === undefined ? {} : { agentId }) };
}

function rowsOf(files: readonly TestFile[]): string {
  const drift = createDrift();
  const sessionId = sessionOf(files);
  const { session, blocks } = parseFiles(files, { see: drift.see, sessionId });
  const owner = { sessionId, number: 1, fileIds: files.map(({ name }) => name ?? '') };
  const { facts, stats, anomalies, lines } = session;
  // Every digest is of one version, which need not be in it.
  const { parserVersion: _, ...outcome } = outcomeOf(session);
  const tables = [
    blockRows(owner, blocks),
    ...tableRows(owner, { ...session, drift: formatDrift(drift.report(), facts.versions[0]) }),
  ];
  return JSON.stringify({ tables, outcome, facts, stats, anomalies, lines }, withCollections);
}

/** The session that the lines name: in any other one they would be copies, which count nothing. */
function sessionOf([main]: readonly TestFile[]): string {
  const text = Buffer.from(main?.bytes ?? []).toString();
  return /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? SESSION;
}

function withCollections(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}

export type Digests = Readonly<Record<string, string>>;

/**
 * The digests with the digest of this version added. Throws if the version already has another digest, unless `replace`
 * is set: databases parsed with this version would keep the old rows.
 */
export function withDigest(digests: Digests, version: number, digest: string, replace: boolean): Digests {
  const recorded = digests[version];
  if (recorded !== undefined && recorded !== digest && !replace) {
    throw new Error(
      `PARSER_VERSION ${version} already has a digest, and the rows have changed since. Raise PARSER_VERSION in ` +
        `src/transcript/parser-version.ts. If version ${version} was never released, use RECORD_ROWS=replace.`,
    );
  }
  return { ...digests, [version]: digest };
}

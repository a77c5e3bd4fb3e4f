import type { Claim } from '../domain/pipeline.ts';
import type { Clock } from '../domain/ports.ts';
import { inferLiveness } from '../domain/session.ts';
import { type Engine, insideOf } from '../store/engine.ts';
import {
  checkClaims,
  countDue,
  failParsing,
  findDue,
  loadWorkSizes,
  sumDueBytes,
  type Work,
} from '../store/queries/claims/claims.ts';
import { settleNextFamily } from '../store/queries/lineage/settle-families.ts';
import { findUnsettledSessions, readLastReport, settleSession } from '../store/queries/sessions/session-reports.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { inBatches } from './batches.ts';
import type { BatchThread } from './bulk.ts';
import type { ClaimedDeps, ClaimedWork, StepLog } from './claimed-session.ts';
import { type CorrelateDeps, correlateSessions } from './correlate-session.ts';
import { indexSessions, markTexts, refreshIndexedTexts, type WrittenTexts } from './index-session.ts';
import {
  findSummariesToMake,
  type NarratedSession,
  narrateSessions,
  type SummarizeDeps,
  saveSummaries,
} from './summarize-session.ts';
import { syncDocuments } from './sync-documents.ts';
import { type LiveSigns, type UnderstandDeps, understandSessions } from './understand-session.ts';

/**
 * The pipeline: everything that happens to sessions whose bytes are in the archive, in order. Due work is derived from
 * the stored state, so a run may stop anywhere. CONTRIBUTING.md lists what a new step needs.
 */

export interface PipelineDeps extends UnderstandDeps, ClaimedDeps, SummarizeDeps, CorrelateDeps {
  /** Identifies this process and the part of it that works on sessions. */
  readonly holder: string;
  readonly liveSigns: () => LiveSigns;
  /** The price book to use; undefined while the price book of another device applies. */
  readonly priceBook?: string | undefined;
  readonly bulk?: Bulk;
  /** Reads new activity in the repositories that sessions of this machine worked in. */
  readonly collectRepositories: (signal: AbortSignal) => Promise<void>;
}

/** Threads that help a run with much to parse. */
export interface Bulk {
  /** Called before this many bytes are parsed: starts the threads if it is worth it, unless they are running. */
  expect(bytes: number): Promise<void>;
  batchesAtOnce(): number;
  /** A thread for one batch; null without threads, or when all of them have crashed. */
  openThread(): BatchThread | null;
  /** Ends the threads that parse. */
  endParsing(): Promise<void>;
  textWriter(): TextWriter | null;
  indexing(): Indexing | null;
}

/** Another thread that reads the database and writes texts to the index. Both call `checkpoint`, which throws to stop. */
export interface TextWriter {
  write(claims: readonly Claim[], checkpoint: () => void): Promise<readonly WrittenTexts[]>;
  /** Null when the thread is busy. */
  narrate(sessionIds: readonly string[], checkpoint: () => void): Promise<readonly NarratedSession[] | null>;
}

/** Sessions are indexed while other work is done. */
export interface Indexing extends AsyncDisposable {
  /** The rows of these sessions are complete. */
  offer(sessionIds: readonly string[]): void;
  /** The rows of all sessions are complete. */
  rowsAreComplete(): void;
  /** Waits until none of these sessions is being indexed, because only one step works on a session at a time. */
  free(sessionIds: readonly string[]): Promise<void>;
  /** Whether one of them is being indexed now. */
  isBusyWith(sessionIds: readonly string[]): boolean;
  /** Waits for what is being indexed; the rest is left. */
  end(): Promise<void>;
}

/** Counts what the pipeline does. */
export interface PipelineTally {
  enter(phase: 'indexing'): void;
  sessionParsed(sessionId: string): void;
  toIndex(sessions: number): void;
  sessionIndexed(): void;
  fail(what: string, error: unknown): void;
}

/** Archiving is requested by a user; every other kind of work is a step. */
export type SessionStepName = Exclude<Work, 'archive'>;

/** Sessions that are processed together. */
export interface Batches {
  readonly harmless: readonly (readonly string[])[];
  /** F9: sessions that failed or crashed. Nothing else runs meanwhile, so that their next failure is blamed on no other. */
  readonly suspects: readonly string[];
}

/** Works on claimed sessions. Each step has its own claims, so that a failure is retried without repeating other steps. */
export interface SessionStep extends Pick<ClaimedWork, 'recordFailure'> {
  readonly name: SessionStepName;
  /** Sessions that need it, newest first. */
  readonly due: (deps: PipelineDeps, limit: number) => Promise<readonly string[]>;
  readonly run: (deps: PipelineDeps, claims: readonly Claim[], log: StepLog, checkpoint: () => void) => Promise<void>;
  /** For a step that is faster on several sessions at once. */
  readonly batchSize?: number;
  /** The same for a step whose sessions differ in size: divides them, in order. */
  readonly toBatches?: (deps: PipelineDeps, sessionIds: readonly string[]) => Promise<Batches>;
  /** Called before batches are run; the number of them that run at the same time. */
  readonly atOnce?: (deps: PipelineDeps) => Promise<number>;
  /** Number of further passes while there is work; `between` may make other sessions due. */
  readonly repeats?: { readonly most: number; readonly between: (deps: PipelineDeps) => Promise<void> };
  /** Prefix of the session id in reports of failures. */
  readonly label: string;
  readonly onStart?: (deps: PipelineDeps, tally: PipelineTally) => Promise<void>;
  readonly onDone?: (tally: PipelineTally, sessionId: string) => void;
  readonly onEnd?: (deps: PipelineDeps) => Promise<void>;
  /** Lists and figures are complete without it. */
  readonly isForTexts?: boolean;
}

/** Works on the whole store, once per run. */
interface StoreStep {
  readonly name: string;
  readonly runOnce: (deps: PipelineDeps, tally: PipelineTally) => Promise<void>;
  readonly isForTexts?: boolean;
  /** The steps after it do not wait for it. */
  readonly isParallel?: boolean;
}

const PARSE: SessionStep = {
  name: 'parse',
  due: dueFor('parse'),
  run: (deps, claims, log, checkpoint) =>
    understandSessions(withBuilder(deps), claims, deps.liveSigns(), { log, checkpoint }),
  toBatches: batchesToParse,
  atOnce: async (deps) => {
    await deps.bulk?.expect(await sumDueBytes(deps.engine, dueOptions(deps, 'parse')));
    return deps.bulk?.batchesAtOnce() ?? 1;
  },
  recordFailure: failParsing,
  // Sessions that share messages are compared once all of them are parsed; those that turn out to be copies are
  // reparsed.
  repeats: { most: 3, between: settleFamilies },
  label: '',
  onDone: (tally, sessionId) => tally.sessionParsed(sessionId),
  onEnd: async ({ bulk }) => bulk?.endParsing(),
};

const CORRELATE: SessionStep = {
  name: 'correlate',
  due: dueFor('correlate'),
  run: (deps, claims, log, checkpoint) => correlateSessions(deps, claims, { log, checkpoint }),
  toBatches: batchesByCount,
  label: 'git activity of ',
};

/** Ends sessions that never reported their end. */
const SETTLE: StoreStep = { name: 'settle', runOnce: (deps) => settleSessions(deps) };

const REPOSITORIES: StoreStep = { name: 'repositories', runOnce: (deps) => deps.collectRepositories(deps.signal) };

/** Texts beside the transcripts: plans, to-dos, prompt history. */
const DOCUMENTS: StoreStep = {
  name: 'documents',
  runOnce: (deps, tally) => syncDocuments(deps, (path, error) => tally.fail(path, error)),
};

const JOURNAL: StoreStep = { name: 'journal', runOnce: (deps) => deps.journal.flush() };

/** The database is busy with it for a long time; the following steps do not write the texts that it covers. */
const TEXT_INDEX: StoreStep = {
  name: 'text index',
  runOnce: ({ engine, signal }) => engine.buildTextIndex(signal),
  isForTexts: true,
  isParallel: true,
};

const SUMMARIZE: SessionStep = {
  name: 'summarize',
  due: findSummariesToMake,
  run: (deps, claims, log, checkpoint) => log.run('summarize', () => summarizeAll(deps, claims, checkpoint)),
  // A model takes long, and its answer must not be lost with the others.
  toBatches: async (deps, ids) => (deps.ai === null ? batchesByCount(deps, ids) : eachAlone(ids)),
  // One by the thread and one by this thread.
  atOnce: async ({ ai, bulk }) => (ai === null && bulk?.textWriter() ? 2 : 1),
  label: 'summary of ',
  isForTexts: true,
};

/** Last: it is the largest part of an import, and lists and figures do not need it. */
const INDEX: SessionStep = {
  name: 'index',
  due: dueFor('index'),
  run: (deps, claims, log, checkpoint) => log.run('index', () => indexTexts(deps, claims, checkpoint)),
  batchSize: 50,
  label: 'full text of ',
  onStart: async (deps, tally) => {
    await deps.bulk?.indexing()?.end();
    tally.toIndex(await countDue(deps.engine, 'index'));
    tally.enter('indexing');
  },
  onDone: (tally) => tally.sessionIndexed(),
  onEnd: ({ engine }) => engine.refreshStatistics(),
  isForTexts: true,
};

const WORD_INDEX: StoreStep = {
  name: 'word index',
  runOnce: ({ engine, signal }) => engine.buildWordIndex(signal),
  isForTexts: true,
};

/**
 * The text index comes right after the rows, because building it takes as long as all steps after it together. Git activity is
 * correlated again after the repositories were read, because sessions may have become due.
 */
export const PIPELINE: readonly (SessionStep | StoreStep)[] = [
  PARSE,
  TEXT_INDEX,
  CORRELATE,
  SETTLE,
  REPOSITORIES,
  CORRELATE,
  DOCUMENTS,
  JOURNAL,
  SUMMARIZE,
  INDEX,
  WORD_INDEX,
];

export const SESSION_STEPS: Readonly<Record<SessionStepName, SessionStep>> = {
  parse: PARSE,
  correlate: CORRELATE,
  summarize: SUMMARIZE,
  index: INDEX,
};

/** During an import, a thread may already have the bytes. */
function withBuilder(deps: PipelineDeps): UnderstandDeps {
  return { ...deps, builder: deps.builder ?? deps.bulk?.openThread() ?? undefined };
}

async function batchesToParse({ engine }: PipelineDeps, ids: readonly string[]): Promise<Batches> {
  const sizes = await loadWorkSizes(engine.kysely, ids);
  const isSuspect = (id: string) => (sizes.get(id)?.attempts ?? 0) > 0;
  return batchesOf(ids, isSuspect, (id) => sizes.get(id)?.bytes ?? 0);
}

/** The same for steps whose effort hardly depends on the size of a session. */
async function batchesByCount({ engine }: PipelineDeps, ids: readonly string[]): Promise<Batches> {
  const sizes = await loadWorkSizes(engine.kysely, ids);
  return batchesOf(
    ids,
    (id) => (sizes.get(id)?.crashes ?? 0) > 0,
    () => 0,
  );
}

function batchesOf(
  ids: readonly string[],
  isSuspect: (id: string) => boolean,
  bytesOf: (id: string) => number,
): Batches {
  const harmless = ids.filter((id) => !isSuspect(id));
  return {
    harmless: inBatches(harmless, (id) => ({ bytes: bytesOf(id), isAlone: false })),
    suspects: ids.filter(isSuspect),
  };
}

/** Each session is a batch. */
export function eachAlone(ids: readonly string[]): Batches {
  return { harmless: ids.map((id) => [id]), suspects: [] };
}

/** In one transaction if there are several sessions. */
async function summarizeAll(deps: PipelineDeps, claims: readonly Claim[], checkpoint: () => void): Promise<void> {
  const { engine, bulk } = deps;
  const sessionIds = claims.map(({ sessionId }) => sessionId);
  const isAlone = claims.length === 1;
  const elsewhere = isAlone ? null : await bulk?.textWriter()?.narrate(sessionIds, checkpoint);
  const narrated = elsewhere ?? (await narrateSessions(engine.kysely, sessionIds, checkpoint));
  const save = async (within: Engine) => {
    await saveSummaries({ ...deps, engine: within }, narrated);
    await refreshIndexedTexts(within, sessionIds);
  };
  if (isAlone) await save(engine);
  else await engine.transaction((tx) => save(insideOf(engine, tx)));
}

async function indexTexts(
  { engine, bulk }: PipelineDeps,
  claims: readonly Claim[],
  checkpoint: () => void,
): Promise<void> {
  const textWriter = bulk?.textWriter() ?? null;
  if (textWriter === null) return indexSessions(engine, claims, checkpoint);
  const texts = await textWriter.write(claims, checkpoint).catch(async (error: unknown) => {
    // An error from another thread does not name a session, so check first whether a claim was lost.
    await checkClaims(engine.kysely, claims);
    throw error;
  });
  await markTexts(engine, claims, texts);
}

async function settleFamilies({ engine, signal }: PipelineDeps): Promise<void> {
  while (!signal.aborted && (await settleNextFamily(engine)));
}

function dueFor(name: SessionStepName): SessionStep['due'] {
  return (deps, limit) => findDue(deps.engine, name, dueOptions(deps, name), limit);
}

/** Git repositories are on the disk of the machine that ran the session, unless that machine only ships. */
export function dueOptions({ priceBook, device }: PipelineDeps, name: SessionStepName) {
  const versions = { parserVersion: PARSER_VERSION, priceBook };
  return name === 'correlate' ? { ...versions, deviceId: device.id } : versions;
}

interface SettleDeps {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly liveSigns: () => LiveSigns;
}

/** Ends sessions whose end was never reported (crash, power failure) once their files have stopped changing. */
export async function settleSessions({ engine, clock, liveSigns }: SettleDeps): Promise<void> {
  const { kysely } = engine;
  const { sessions, quietSinceMs } = liveSigns();
  for (const { id, lastWriteMs, lastLineAt, lastLineMs } of await findUnsettledSessions(kysely)) {
    const lastReport = await readLastReport(kysely, id);
    const signs = { lastWriteMs, lastLineMs, lastReport, isOpen: sessions.has(id), quietSinceMs: quietSinceMs(id) };
    const { endReason, endedAtMs } = inferLiveness(signs);
    if (endReason === null) continue;
    await settleSession(kysely, id, { endReason, endedAtMs, lastLineAt }, clock.now().toISOString());
  }
}

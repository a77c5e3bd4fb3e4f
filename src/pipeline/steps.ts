import type { Claim } from '../domain/pipeline.ts';
import { countDue, failParsing, findDue, loadWorkSizes, type Work } from '../store/queries/claims/claims.ts';
import { settleNextFamily } from '../store/queries/lineage/settle-families.ts';
import { PARSER_VERSION } from '../transcript/parser-version.ts';
import { inBatches } from './batches.ts';
import type { ClaimedDeps, ClaimedWork, StepLog } from './claimed-session.ts';
import { type CorrelateDeps, correlateSessions } from './correlate-session.ts';
import { indexSessions, refreshIndexedTexts } from './index-session.ts';
import { findSummariesToMake, type SummarizeDeps, summarizeSession } from './summarize-session.ts';
import { syncDocuments } from './sync-documents.ts';
import { type LiveSigns, type UnderstandDeps, understandSessions } from './understand-session.ts';
import { inferLiveness } from '../domain/session.ts';
import { findUnsettledSessions, readLastReport, settleSession } from '../store/queries/sessions/session-reports.ts';
import type { Clock } from '../domain/ports.ts';
import { type Engine, insideOf } from '../store/engine.ts';

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
  /** Reads new activity in the repositories that sessions of this machine worked in. */
  readonly collectRepositories: (signal: AbortSignal) => Promise<void>;
}

/** Counts what the pipeline does. */
export interface PipelineTally {
  enter(phase: 'indexing'): void;
  sessionParsed(): void;
  toIndex(sessions: number): void;
  sessionIndexed(): void;
  fail(what: string, error: unknown): void;
}

/** Archiving is requested by a user; every other kind of work is a step. */
export type SessionStepName = Exclude<Work, 'archive'>;

/** Works on one session at a time under its own claim, so that a failure is retried without repeating other steps. */
export interface SessionStep extends Pick<ClaimedWork, 'recordFailure'> {
  readonly name: SessionStepName;
  /** Sessions that need it, newest first. */
  readonly due: (deps: PipelineDeps, limit: number) => Promise<readonly string[]>;
  readonly run: (deps: PipelineDeps, claims: readonly Claim[], log: StepLog, checkpoint: () => void) => Promise<void>;
  /** For a step that is faster on several sessions at once. */
  readonly batchSize?: number;
  /** The same for a step whose sessions differ in size: divides them, in order. */
  readonly together?: (deps: PipelineDeps, sessionIds: readonly string[]) => Promise<readonly (readonly string[])[]>;
  /** Number of further passes while there is work; `between` may make other sessions due. */
  readonly repeats?: { readonly most: number; readonly between: (deps: PipelineDeps) => Promise<void> };
  /** Prefix of the session id in reports of failures. */
  readonly label: string;
  readonly onStart?: (deps: PipelineDeps, tally: PipelineTally) => Promise<void>;
  readonly onDone?: (tally: PipelineTally) => void;
  /** Lists and figures are complete without it. */
  readonly isForTexts?: boolean;
}

/** Works on the whole store, once per run. */
interface StoreStep {
  readonly name: string;
  readonly runOnce: (deps: PipelineDeps, tally: PipelineTally) => Promise<void>;
  readonly isForTexts?: boolean;
}

const PARSE: SessionStep = {
  name: 'parse',
  due: dueFor('parse'),
  run: (deps, claims, log, checkpoint) => understandSessions(deps, claims, deps.liveSigns(), { log, checkpoint }),
  together: batchesToParse,
  recordFailure: failParsing,
  // Sessions that share messages are compared once all of them are parsed; those that turn out to be copies are
  // reparsed.
  repeats: { most: 3, between: settleFamilies },
  label: '',
  onDone: (tally) => tally.sessionParsed(),
};

const CORRELATE: SessionStep = {
  name: 'correlate',
  due: dueFor('correlate'),
  run: (deps, claims, log, checkpoint) => correlateSessions(deps, claims, { log, checkpoint }),
  together: batchesOfHarmless,
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

const SUMMARIZE: SessionStep = {
  name: 'summarise',
  due: findSummariesToMake,
  run: (deps, claims, log, checkpoint) => log.run('summarise', () => summarizeAll(deps, claims, checkpoint)),
  // A model takes long, and what it answered must not be lost with the others.
  together: async (deps, ids) => (deps.ai === null ? batchesOfHarmless(deps, ids) : ids.map((id) => [id])),
  label: 'summary of ',
  isForTexts: true,
};

/** Last: it is the largest part of an import, and lists and figures do not need it. */
const INDEX: SessionStep = {
  name: 'index',
  due: dueFor('index'),
  run: ({ engine }, claims, log, checkpoint) => log.run('index', () => indexSessions(engine, claims, checkpoint)),
  batchSize: 50,
  label: 'full text of ',
  onStart: async (deps, tally) => {
    tally.toIndex(await countDue(deps.engine, 'index'));
    tally.enter('indexing');
  },
  onDone: (tally) => tally.sessionIndexed(),
  isForTexts: true,
};

/** Git activity is correlated again after the repositories were read, because sessions may have become due. */
export const PIPELINE: readonly (SessionStep | StoreStep)[] = [
  PARSE,
  CORRELATE,
  SETTLE,
  REPOSITORIES,
  CORRELATE,
  DOCUMENTS,
  JOURNAL,
  SUMMARIZE,
  INDEX,
];

export const SESSION_STEPS: Readonly<Record<SessionStepName, SessionStep>> = {
  parse: PARSE,
  correlate: CORRELATE,
  summarise: SUMMARIZE,
  index: INDEX,
};

/** F9: a session that failed or crashed is alone, so that its next failure is blamed on no other. */
async function batchesToParse(
  { engine }: PipelineDeps,
  ids: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const sizes = await loadWorkSizes(engine.kysely, ids);
  return inBatches(ids, (id) => {
    const { bytes = 0, attempts = 0 } = sizes.get(id) ?? {};
    return { bytes, isAlone: attempts > 0 };
  });
}

/** The same for steps whose effort hardly depends on the size of a session. */
async function batchesOfHarmless({ engine }: PipelineDeps, ids: readonly string[]) {
  const sizes = await loadWorkSizes(engine.kysely, ids);
  return inBatches(ids, (id) => ({ bytes: 0, isAlone: (sizes.get(id)?.deaths ?? 0) > 0 }));
}

/** Several sessions share a transaction. */
async function summarizeAll(deps: PipelineDeps, claims: readonly Claim[], checkpoint: () => void): Promise<void> {
  const summarizeWith = async (engine: Engine) => {
    for (const { sessionId } of claims) {
      checkpoint();
      await summarizeSession({ ...deps, engine }, sessionId);
      await refreshIndexedTexts(engine, sessionId);
    }
  };
  if (claims.length === 1) await summarizeWith(deps.engine);
  else await deps.engine.transaction((tx) => summarizeWith(insideOf(deps.engine, tx)));
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
  for (const { id, lastWriteMs, lastLineAt } of await findUnsettledSessions(kysely)) {
    const lastReport = await readLastReport(kysely, id);
    const signs = { lastWriteMs, lastReport, isOpen: sessions.has(id), quietSinceMs: quietSinceMs(id) };
    const { endReason, endedAtMs } = inferLiveness(signs);
    if (endReason === null) continue;
    await settleSession(kysely, id, { endReason, endedAtMs, lastLineAt }, clock.now().toISOString());
  }
}

import type { Migration } from '../migrate.ts';
import { first, git } from './release-0.1-tables.ts';
import { line, structure } from './release-0.1-structure.ts';
import {
  changes,
  deaths,
  deviceTokens,
  gitShipments,
  prices,
  search,
  shares,
  shipments,
  summaries,
  texts,
} from './release-0.1-later.ts';
import {
  agentMessages,
  browserKeys,
  facts,
  failedCalls,
  families,
  lifecycle,
  links,
  narrative,
  publishStep,
  repair,
  rowChanges,
  savedViews,
  teams,
  understand,
  waiting,
} from './release-0.2.ts';
import { countedCalls, filePaths, sessionIds, usageRates } from './release-0.2-rates.ts';
import { budgets } from './release-0.2-budgets.ts';
import { callSums, toolNames } from './release-0.2-dashboards.ts';
import { deletions, masks } from './release-0.2-deletions.ts';
import { changeKinds, emittedEvents } from './release-0.2-events.ts';
import { fasterCompression, searchFile, namesApart } from './release-0.2-search.ts';

/** In order; a released one is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  first,
  git,
  structure,
  line,
  summaries,
  shipments,
  search,
  changes,
  prices,
  texts,
  gitShipments,
  deviceTokens,
  shares,
  deaths,
  repair,
  understand,
  facts,
  narrative,
  links,
  lifecycle,
  agentMessages,
  waiting,
  teams,
  families,
  publishStep,
  browserKeys,
  failedCalls,
  savedViews,
  usageRates,
  filePaths,
  rowChanges,
  countedCalls,
  budgets,
  sessionIds,
  deletions,
  searchFile,
  masks,
  emittedEvents,
  changeKinds,
  callSums,
  toolNames,
  namesApart,
  fasterCompression,
];

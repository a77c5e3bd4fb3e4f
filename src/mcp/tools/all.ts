import type { Tool } from '../tool.ts';
import { cost } from './cost.ts';
import { fileHistory } from './file-history.ts';
import { findFailures } from './find-failures.ts';
import { listCommits } from './list-commits.ts';
import { listSessions } from './list-sessions.ts';
import { readSession } from './read-session.ts';
import { searchSessions } from './search-sessions.ts';

/** Every tool, in the order in which the model sees them. */
export const TOOLS: readonly Tool[] = [
  searchSessions,
  listSessions,
  readSession,
  findFailures,
  fileHistory,
  listCommits,
  cost,
];

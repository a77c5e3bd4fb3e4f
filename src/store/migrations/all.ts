import type { Migration } from '../migrate.ts';
import { first } from './001-first.ts';
import { git } from './002-git.ts';
import { structure } from './003-structure.ts';
import { line } from './004-line.ts';
import { summaries } from './005-summaries.ts';
import { shipments } from './006-shipments.ts';
import { search } from './007-search.ts';
import { changes } from './008-changes.ts';
import { prices } from './009-prices.ts';
import { texts } from './010-texts.ts';
import { gitShipments } from './011-git-shipments.ts';
import { deviceTokens } from './012-device-tokens.ts';
import { shares } from './013-shares.ts';
import { deaths } from './014-deaths.ts';
import { repair } from './015-repair.ts';
import { understand } from './016-understand.ts';
import { facts } from './017-facts.ts';
import { narrative } from './018-narrative.ts';
import { links } from './019-links.ts';
import { lifecycle } from './020-lifecycle.ts';
import { agentMessages } from './021-agent-messages.ts';
import { waiting } from './022-waiting.ts';
import { teams } from './023-teams.ts';
import { families } from './024-families.ts';
import { publishStep } from './025-publish-step.ts';

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
];

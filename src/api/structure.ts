import { z } from 'zod';
import { MAX_PAGE_ROWS } from '../domain/page-rows.ts';
import { DENIALS, TOOL_STATUSES } from '../domain/transcript-structure.ts';
import {
  apiErrorPage,
  branchPage,
  compactionPage,
  documentPage,
  linkPage,
  planPage,
  pullRequestPage,
  segmentPage,
  subagentPage,
  teamPage,
  questionPage,
  skillPage,
  todoPage,
  toolCallPage,
  touchedFilePage,
  turnPage,
  worktreePage,
} from './answers/structure.ts';
import { queryEndpoint } from './endpoint.ts';
import { MAX_ID_CHARS } from './limits.ts';
import { after, limit, plainText, words } from './values.ts';

const page = { after, limit: limit(MAX_PAGE_ROWS, MAX_PAGE_ROWS) };
const query = z.strictObject(page);

/** The structure of a session apart from its messages, each list in transcript order. */
export const structureEndpoints = {
  'GET /sessions/:id/turns': queryEndpoint({
    about: 'Turns: a prompt and everything that followed it, with counts, tokens, cost and duration.',
    query,
    answer: turnPage,
  }),
  'GET /sessions/:id/branches': queryEndpoint({
    about: 'Points where the conversation was rewound, with the prompts that follow.',
    query,
    answer: branchPage,
  }),
  'GET /sessions/:id/segments': queryEndpoint({
    about: 'Segments between compactions, with counts, tokens and cost.',
    query,
    answer: segmentPage,
  }),
  'GET /sessions/:id/compactions': queryEndpoint({
    about: 'Compactions: trigger, tokens saved and messages preserved.',
    query,
    answer: compactionPage,
  }),
  'GET /sessions/:id/tool-calls': queryEndpoint({
    about: 'Tool calls with status, duration, exit code and the files they touched.',
    query: z.strictObject({
      ...page,
      name: plainText(MAX_ID_CHARS).optional().meta({ description: 'Only calls of this tool.' }),
      status: words(TOOL_STATUSES).optional(),
      denial: words(DENIALS).optional().meta({ description: 'Only calls denied by this.' }),
    }),
    answer: toolCallPage,
  }),
  'GET /sessions/:id/files': queryEndpoint({
    about: 'Files that tools read or wrote, with lines added and removed.',
    query,
    answer: touchedFilePage,
  }),
  'GET /sessions/:id/subagents': queryEndpoint({
    about: 'Sub-agents: parent, activity and cost.',
    query,
    answer: subagentPage,
  }),
  'GET /sessions/:id/teams': queryEndpoint({
    about: 'Agent teams of a session and their members.',
    answer: teamPage,
  }),
  'GET /sessions/:id/links': queryEndpoint({
    about: 'Links to other sessions: forked, branched, shared, copied, cleared, continued, planned.',
    query,
    answer: linkPage,
  }),
  'GET /sessions/:id/api-errors': queryEndpoint({
    about: 'API errors and retries.',
    query,
    answer: apiErrorPage,
  }),
  'GET /sessions/:id/plans': queryEndpoint({
    about: 'Plans with their text: proposed, approved, rejected or implemented.',
    query,
    answer: planPage,
  }),
  'GET /sessions/:id/todos': queryEndpoint({
    about: 'To-do lists and tasks in their final state; failed calls are ignored.',
    query,
    answer: todoPage,
  }),
  'GET /sessions/:id/skills': queryEndpoint({
    about: 'Skills loaded by the model or the user.',
    query,
    answer: skillPage,
  }),
  'GET /sessions/:id/questions': queryEndpoint({
    about: 'Questions the model asked (AskUserQuestion), with options and answers.',
    query,
    answer: questionPage,
  }),
  'GET /sessions/:id/worktrees': queryEndpoint({
    about: 'Git worktrees that the session or its sub-agents worked in.',
    query,
    answer: worktreePage,
  }),
  'GET /sessions/:id/documents': queryEndpoint({
    about: 'Plan, to-do, task and session memory files, and prompts as typed.',
    query,
    answer: documentPage,
  }),
  'GET /sessions/:id/pull-requests': queryEndpoint({
    about: 'Pull requests linked to the session.',
    query,
    answer: pullRequestPage,
  }),
};

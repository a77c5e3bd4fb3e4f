import { z } from 'zod';
import { anything, bool, fields, num, opt, str, strs, type Shape, word } from '../kit.ts';
import { result } from './shape.ts';

const hit = fields({ title: opt(str), url: opt(str) });
const hits = fields({ tool_use_id: opt(str), content: opt(z.union([z.array(hit), anything])) });

export const SEARCH_RESULTS = {
  glob: result('glob', 'Glob: file names.', ['filenames', 'numFiles', 'truncated'], {
    filenames: opt(strs),
    numFiles: opt(num),
    durationMs: opt(num),
    truncated: opt(bool),
    countIsComplete: opt(bool),
    totalMatches: opt(num),
  }),
  grep: result('grep', 'Grep: file names, lines, or counts.', ['filenames', 'numFiles'], {
    filenames: opt(strs),
    numFiles: opt(num),
    durationMs: opt(num),
    mode: opt(word('content', 'files_with_matches', 'count')),
    content: opt(str),
    numLines: opt(num),
    numMatches: opt(num),
    totalFiles: opt(num),
    totalLines: opt(num),
    appliedLimit: opt(num),
    appliedOffset: opt(num),
  }),
  web_fetch: result('web_fetch', 'WebFetch: what a model made of a page.', ['url', 'codeText'], {
    url: opt(str),
    code: opt(num),
    codeText: opt(str),
    bytes: opt(num),
    durationMs: opt(num),
    result: opt(str),
  }),
  web_search: result('web_search', 'WebSearch: hits and comments, in order.', ['query', 'results'], {
    query: opt(str),
    results: opt(z.array(z.union([str, hits]))),
    durationSeconds: opt(num),
    searchCount: opt(num),
  }),
  tool_search: result('tool_search', 'ToolSearch: names of deferred tools.', ['matches', 'query'], {
    matches: opt(strs),
    query: opt(str),
    total_deferred_tools: opt(num),
    pending_mcp_servers: opt(strs),
  }),
  lsp: result('lsp', 'LSP: answer of a language server.', ['operation', 'resultCount'], {
    operation: opt(str),
    result: opt(anything),
    resultCount: opt(num),
    fileCount: opt(num),
    filePath: opt(str),
  }),
} satisfies Record<string, Shape>;

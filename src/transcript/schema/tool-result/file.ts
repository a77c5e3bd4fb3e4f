import { z } from 'zod';
import { anything, bool, fields, num, openFields, opt, opts, result, type Shape, str, strs, word } from '../kit.ts';

/** Effect of a command on a git repository, as far as the client recognized it in the output. */
const gitOperation = fields({
  commit: opt(fields({ sha: opt(str), kind: opt(str), branch: opt(str) })),
  push: opt(fields({ branch: opt(str) })),
  branch: opt(fields({ ref: opt(str), action: opt(str) })),
  pr: opt(openFields({ number: opt(num), url: opt(str), action: opt(str) })),
});

const background = {
  ...opts(str, 'backgroundTaskId', 'backgroundCwdHint'),
  ...opts(bool, 'backgroundedByUser', 'assistantAutoBackgrounded'),
};

export const SHELL_RESULTS = {
  shell: result('shell', 'Bash, PowerShell: a command.', ['stdout', 'interrupted'], {
    ...opts(str, 'stdout', 'stderr', 'returnCodeInterpretation', 'persistedOutputPath', 'rawOutputPath'),
    ...opts(str, 'tokenSaverOutput', 'staleReadFileStateHint'),
    ...opts(bool, 'interrupted', 'isImage', 'noOutputExpected', 'sandbox', 'dangerouslyDisableSandbox'),
    ...opts(num, 'timedOutAfterMs', 'persistedOutputSize'),
    ...opts(anything, 'structuredContent', 'bashEditDiff'),
    gitOperation: opt(gitOperation),
    ...background,
  }),
  shell_output: result('shell_output', 'BashOutput: output of a background command (until 2.0).', ['shellId'], {
    ...opts(str, 'shellId', 'command', 'status', 'stdout', 'stderr', 'timestamp', 'filterPattern'),
    ...opts(num, 'exitCode', 'stdoutLines', 'stderrLines'),
  }),
  shell_killed: result(
    'shell_killed',
    'KillShell, KillBash: a background command was stopped.',
    ['shell_id'],
    opts(str, 'shell_id', 'message'),
  ),
} satisfies Record<string, Shape>;

const dimensions = fields(opts(num, 'originalWidth', 'originalHeight', 'displayWidth', 'displayHeight'));

const readFile = fields({
  ...opts(str, 'filePath', 'content'),
  ...opts(num, 'numLines', 'startLine', 'totalLines'),
  truncatedByTokenCap: opt(bool),
  /** Images and PDFs. */
  ...opts(str, 'base64', 'type'),
  originalSize: opt(num),
  dimensions: opt(dimensions),
  /** Notebooks. */
  cells: opt(z.array(anything)),
  /** PDFs converted to page images. */
  count: opt(num),
  outputDir: opt(str),
});

const patch = z.array(
  fields({ oldStart: opt(num), oldLines: opt(num), newStart: opt(num), newLines: opt(num), lines: opt(strs) }),
);

const change = {
  filePath: opt(str),
  structuredPatch: opt(patch),
  ...opts(bool, 'userModified', 'memdirStamped', 'staleRecovered', 'contentNotInModelContext'),
  gitDiff: opt(anything),
};

const singleEdit = fields({ old_string: opt(str), new_string: opt(str), replace_all: opt(bool) });

export const FILE_RESULTS = {
  edit: result('edit', 'Edit: one replacement. originalFile is null for large files.', ['oldString', 'newString'], {
    ...change,
    ...opts(str, 'oldString', 'newString', 'originalFile'),
    replaceAll: opt(bool),
  }),
  multi_edit: result('multi_edit', 'MultiEdit: several replacements (until 1.0).', ['filePath', 'edits'], {
    ...change,
    edits: opt(z.array(singleEdit)),
    originalFileContents: opt(str),
  }),
  write: result('write', 'Write: a file was created or replaced.', ['filePath', 'content', 'structuredPatch'], {
    ...change,
    type: opt(word('create', 'update')),
    ...opts(str, 'content', 'originalFile'),
  }),
  read: result('read', 'Read: text, an image, a notebook, a PDF, or unchanged.', ['file', 'type'], {
    type: opt(word('text', 'image', 'notebook', 'pdf', 'parts', 'file_unchanged')),
    file: opt(readFile),
  }),
  notebook_edit: result('notebook_edit', 'NotebookEdit: one cell.', ['new_source', 'edit_mode'], {
    new_source: opt(str),
    edit_mode: opt(word('replace', 'insert', 'delete')),
    cell_number: opt(num),
    cell_id: opt(str),
    cell_type: opt(word('code', 'markdown')),
    ...opts(str, 'language', 'error', 'notebook_path', 'original_file', 'updated_file'),
  }),
} satisfies Record<string, Shape>;

const hit = fields({ title: opt(str), url: opt(str) });
const hits = fields({ tool_use_id: opt(str), content: opt(z.union([z.array(hit), anything])) });

export const SEARCH_RESULTS = {
  glob: result('glob', 'Glob: file names.', ['filenames', 'numFiles', 'truncated'], {
    filenames: opt(strs),
    ...opts(num, 'numFiles', 'durationMs', 'totalMatches'),
    ...opts(bool, 'truncated', 'countIsComplete'),
  }),
  grep: result('grep', 'Grep: file names, lines, or counts.', ['filenames', 'numFiles'], {
    filenames: opt(strs),
    ...opts(num, 'numFiles', 'durationMs'),
    mode: opt(word('content', 'files_with_matches', 'count')),
    content: opt(str),
    ...opts(num, 'numLines', 'numMatches', 'totalFiles', 'totalLines', 'appliedLimit', 'appliedOffset'),
  }),
  web_fetch: result('web_fetch', 'WebFetch: a model’s answer about a page.', ['url', 'codeText'], {
    ...opts(str, 'url', 'codeText', 'result'),
    ...opts(num, 'code', 'bytes', 'durationMs'),
  }),
  web_search: result('web_search', 'WebSearch: hits and comments, in order.', ['query', 'results'], {
    query: opt(str),
    results: opt(z.array(z.union([str, hits]))),
    ...opts(num, 'durationSeconds', 'searchCount'),
  }),
  tool_search: result('tool_search', 'ToolSearch: names of deferred tools.', ['matches', 'query'], {
    ...opts(strs, 'matches', 'pending_mcp_servers'),
    query: opt(str),
    total_deferred_tools: opt(num),
  }),
  lsp: result('lsp', 'LSP: response from a language server.', ['operation', 'resultCount'], {
    ...opts(str, 'operation', 'filePath'),
    result: opt(anything),
    ...opts(num, 'resultCount', 'fileCount'),
  }),
} satisfies Record<string, Shape>;

import { z } from 'zod';
import { anything, bool, fields, num, openFields, opt, result, type Shape, str, strs, word } from '../kit.ts';

/** Effect of a command on a git repository, as far as the client recognized it in the output. */
const gitOperation = fields({
  commit: opt(fields({ sha: opt(str), kind: opt(str), branch: opt(str) })),
  push: opt(fields({ branch: opt(str) })),
  branch: opt(fields({ ref: opt(str), action: opt(str) })),
  pr: opt(openFields({ number: opt(num), url: opt(str), action: opt(str) })),
});

const background = {
  backgroundTaskId: opt(str),
  backgroundedByUser: opt(bool),
  assistantAutoBackgrounded: opt(bool),
  backgroundCwdHint: opt(str),
};

export const SHELL_RESULTS = {
  shell: result('shell', 'Bash, PowerShell: a command.', ['stdout', 'interrupted'], {
    stdout: opt(str),
    stderr: opt(str),
    interrupted: opt(bool),
    isImage: opt(bool),
    noOutputExpected: opt(bool),
    returnCodeInterpretation: opt(str),
    timedOutAfterMs: opt(num),
    sandbox: opt(bool),
    dangerouslyDisableSandbox: opt(bool),
    persistedOutputPath: opt(str),
    persistedOutputSize: opt(num),
    rawOutputPath: opt(str),
    structuredContent: opt(anything),
    bashEditDiff: opt(anything),
    tokenSaverOutput: opt(str),
    staleReadFileStateHint: opt(str),
    gitOperation: opt(gitOperation),
    ...background,
  }),
  shell_output: result('shell_output', 'BashOutput: output of a background command (until 2.0).', ['shellId'], {
    shellId: opt(str),
    command: opt(str),
    status: opt(str),
    exitCode: opt(num),
    stdout: opt(str),
    stderr: opt(str),
    stdoutLines: opt(num),
    stderrLines: opt(num),
    timestamp: opt(str),
    filterPattern: opt(str),
  }),
  shell_killed: result('shell_killed', 'KillShell, KillBash: a background command was stopped.', ['shell_id'], {
    shell_id: opt(str),
    message: opt(str),
  }),
} satisfies Record<string, Shape>;

const dimensions = fields({
  originalWidth: opt(num),
  originalHeight: opt(num),
  displayWidth: opt(num),
  displayHeight: opt(num),
});

const readFile = fields({
  filePath: opt(str),
  content: opt(str),
  numLines: opt(num),
  startLine: opt(num),
  totalLines: opt(num),
  truncatedByTokenCap: opt(bool),
  /** Images and PDFs. */
  base64: opt(str),
  type: opt(str),
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
  userModified: opt(bool),
  memdirStamped: opt(bool),
  staleRecovered: opt(bool),
  gitDiff: opt(anything),
  contentNotInModelContext: opt(bool),
};

const singleEdit = fields({ old_string: opt(str), new_string: opt(str), replace_all: opt(bool) });

export const FILE_RESULTS = {
  edit: result('edit', 'Edit: one replacement. originalFile is null for large files.', ['oldString', 'newString'], {
    ...change,
    oldString: opt(str),
    newString: opt(str),
    originalFile: opt(str),
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
    content: opt(str),
    originalFile: opt(str),
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
    language: opt(str),
    error: opt(str),
    notebook_path: opt(str),
    original_file: opt(str),
    updated_file: opt(str),
  }),
} satisfies Record<string, Shape>;

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
  web_fetch: result('web_fetch', 'WebFetch: a model’s answer about a page.', ['url', 'codeText'], {
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
  lsp: result('lsp', 'LSP: response from a language server.', ['operation', 'resultCount'], {
    operation: opt(str),
    result: opt(anything),
    resultCount: opt(num),
    fileCount: opt(num),
    filePath: opt(str),
  }),
} satisfies Record<string, Shape>;

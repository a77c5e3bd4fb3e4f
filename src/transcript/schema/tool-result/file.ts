import { z } from 'zod';
import { anything, bool, fields, num, opt, str, strs, type Shape, word } from '../kit.ts';
import { result } from './shape.ts';

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
  /** PDFs cut into page images. */
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
  write: result('write', 'Write: a file created or replaced.', ['filePath', 'content', 'structuredPatch'], {
    ...change,
    type: opt(word('create', 'update')),
    content: opt(str),
    originalFile: opt(str),
  }),
  read: result('read', 'Read: text, image, notebook, PDF, or unchanged.', ['file', 'type'], {
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

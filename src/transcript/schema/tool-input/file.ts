import { z } from 'zod';
import { anything, bool, fields, num, opt, str, strs, word } from '../kit.ts';

const replacement = { old_string: str, new_string: str, replace_all: opt(bool) };

export const FILE_INPUTS = {
  Read: fields({ file_path: str, offset: opt(num), limit: opt(num), pages: opt(str) }),
  Write: fields({ file_path: str, content: str }),
  Edit: fields({ file_path: str, ...replacement }),
  MultiEdit: fields({ file_path: str, edits: z.array(fields(replacement)) }),
  NotebookEdit: fields({
    notebook_path: str,
    new_source: opt(str),
    cell_id: opt(str),
    cell_number: opt(num),
    cell_type: opt(word('code', 'markdown')),
    edit_mode: opt(word('replace', 'insert', 'delete')),
  }),
  LS: fields({ path: opt(str), ignore: opt(strs) }),
  Glob: fields({ pattern: str, path: opt(str) }),
  Grep: fields({
    pattern: str,
    path: opt(str),
    glob: opt(str),
    type: opt(str),
    output_mode: opt(word('content', 'files_with_matches', 'count')),
    multiline: opt(bool),
    head_limit: opt(num),
    offset: opt(num),
    context: opt(num),
    '-A': opt(num),
    '-B': opt(num),
    '-C': opt(num),
    '-i': opt(bool),
    '-n': opt(bool),
    '-o': opt(bool),
    /** Until 1.0. */
    include: opt(str),
  }),
  LSP: fields({ operation: opt(str), filePath: opt(str), line: opt(num), character: opt(num), query: opt(anything) }),
} satisfies Record<string, z.ZodType>;

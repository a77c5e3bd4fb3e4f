import type { z } from 'zod';
import { anything, bool, fields, num, openFields, opt, str, strs } from '../kit.ts';
import { kind, openKind } from './kind.ts';

const memory = fields({
  path: opt(str),
  type: opt(str),
  content: opt(str),
  rawContent: opt(str),
  contentDiffersFromDisk: opt(bool),
  globs: opt(strs),
  parent: opt(str),
});

/** Files the client put before the model. */
export const FILE_ATTACHMENTS = {
  file: kind('file', 'A file named with @ in the prompt.', {
    filename: opt(str),
    displayPath: opt(str),
    content: opt(anything),
    truncated: opt(bool),
    savedCopyFraming: opt(openFields({ enveloped: opt(bool) })),
  }),
  already_read_file: openKind('already_read_file', 'A file named with @ that the model has already seen.', {
    filename: opt(str),
    displayPath: opt(str),
    content: opt(anything),
  }),
  compact_file_reference: kind('compact_file_reference', 'A file read before a compaction; the path only.', {
    filename: opt(str),
    displayPath: opt(str),
  }),
  directory: kind('directory', 'A directory named with @ in the prompt.', {
    path: opt(str),
    displayPath: opt(str),
    content: opt(str),
  }),
  edited_text_file: kind('edited_text_file', 'A file somebody else changed after the model read it.', {
    filename: opt(str),
    displayPath: opt(str),
    snippet: opt(str),
  }),
  nested_memory: kind('nested_memory', 'A rules file that applies to a file just read.', {
    path: opt(str),
    displayPath: opt(str),
    content: opt(memory),
  }),
  opened_file_in_ide: kind('opened_file_in_ide', 'The file open in the editor.', { filename: opt(str) }),
  selected_lines_in_ide: kind('selected_lines_in_ide', 'The lines selected in the editor.', {
    ideName: opt(str),
    filename: opt(str),
    displayPath: opt(str),
    lineStart: opt(num),
    lineEnd: opt(num),
    content: opt(str),
  }),
  inlined_image_paths: openKind('inlined_image_paths', 'Reported, not seen by us.', {}),
  read_truncation_notice: openKind('read_truncation_notice', 'A file was read only in part.', {}),
} satisfies Record<string, z.ZodType>;

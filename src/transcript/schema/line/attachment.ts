import { z } from 'zod';
import { CONTEXT_ATTACHMENTS } from '../attachment/context.ts';
import { FILE_ATTACHMENTS } from '../attachment/file.ts';
import { HOOK_ATTACHMENTS } from '../attachment/hook.ts';
import { NAMED_ONLY_ATTACHMENTS } from '../attachment/named-only.ts';
import { REMINDER_ATTACHMENTS } from '../attachment/reminder.ts';
import { chainFields } from '../envelope.ts';
import { anything, bool, fields, named, opt, str, variantsBy } from '../kit.ts';

/** Kinds of `attachment` lines, by `attachment.type`. */
export const ATTACHMENT_SCHEMAS = {
  ...REMINDER_ATTACHMENTS,
  ...FILE_ATTACHMENTS,
  ...HOOK_ATTACHMENTS,
  ...CONTEXT_ATTACHMENTS,
  ...NAMED_ONLY_ATTACHMENTS,
};

export const AttachmentLineSchema = named(
  'attachment',
  'Context put before or after a turn, from 2.1.89. A link of the uuid chain.',
  fields({
    type: z.literal('attachment'),
    ...chainFields,
    attachment: variantsBy('type', ATTACHMENT_SCHEMAS),
    /** The text as the model saw it. */
    rendered: opt(z.array(anything)),
    renderedRole: opt(str),
    /** The text where it differs inside a person’s turn; a mere flag in some versions. */
    renderedInHumanTurn: opt(z.union([bool, z.array(anything)])),
    renderedBesideToolResult: opt(bool),
  }),
);

import { z } from 'zod';
import { queryEndpoint, shape } from './endpoint.ts';
import { count, countOrNull, flag, text, textOrNull } from './values.ts';

const expiringFile = z.strictObject({
  path: text,
  deleted_at: text,
  days_left: count,
  is_captured: z.boolean(),
});

const checkup = shape(
  'Checkup',
  z.strictObject({
    /** The findings of `fuel-code doctor`, and the worker. */
    checks: z
      .array(
        z.strictObject({
          name: text,
          state: z.enum(['ok', 'warn', 'bad']),
          message: text,
          is_damage: z.boolean(),
          files: z.array(expiringFile).readonly(),
        }),
      )
      .readonly(),
    files: z.strictObject({
      found: count,
      archived: count,
      waiting: count,
      empty: count,
      ignored: count,
      skipped: count,
    }),
    newest_archived_at: textOrNull,
    expiring: z.strictObject({ files: count, not_captured: count, days: count, next_days_left: countOrNull }),
    is_full: z.boolean().meta({ description: 'Whether the database and the journal were checked entirely.' }),
  }),
);
export type Checkup = z.infer<typeof checkup>;

/** The state of the installation that the server runs on. */
export const checkupEndpoints = {
  'GET /checkup': queryEndpoint({
    about: 'Findings about this installation, as in `fuel-code doctor`: capture, retention, queue, format, storage.',
    query: z.strictObject({
      full: flag
        .optional()
        .meta({ description: '`true` also checks the whole database and journal, which takes longer.' }),
    }),
    answer: checkup,
  }),
};

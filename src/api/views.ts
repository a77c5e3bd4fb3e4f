import { z } from 'zod';
import { LIST_GROUPS, MAX_VIEW_NAME_CHARS } from '../domain/saved-view.ts';
import { MAX_SEARCH_CHARS } from '../domain/search.ts';
import { SORT_ORDERS } from '../domain/session-sort.ts';
import { commandEndpoint, queryEndpoint, shape } from './endpoint.ts';
import { sort } from './sessions.ts';
import { done, text } from './values.ts';

const viewFields = {
  name: z
    .string()
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .refine((name) => name.trim() !== '', 'must not be blank')
    .max(MAX_VIEW_NAME_CHARS, `must not be longer than ${MAX_VIEW_NAME_CHARS} characters`),
  q: z
    .string()
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .max(MAX_SEARCH_CHARS, `must not be longer than ${MAX_SEARCH_CHARS} characters`)
    .meta({ description: 'Fields in the search language; empty for all sessions.' }),
  sort: sort.nullable(),
  order: z.enum(SORT_ORDERS, 'must be asc or desc').nullable(),
  group: z.enum(LIST_GROUPS, `must be one of ${LIST_GROUPS.join(', ')}`).nullable(),
};

const savedView = shape('SavedView', z.strictObject({ id: text, ...viewFields, created_at: text, updated_at: text }));
export type SavedView = z.infer<typeof savedView>;

const { name, q, ...rest } = viewFields;
const newView = z.strictObject({ name, q, ...z.strictObject(rest).partial().shape });
const changedView = z
  .strictObject(viewFields)
  .partial()
  .refine((given) => Object.keys(given).length > 0, 'must contain a change');

/** Named filters of the session list. */
export const viewEndpoints = {
  'GET /views': queryEndpoint({
    about: 'Saved views of the session list, oldest first.',
    answer: z.strictObject({ views: z.array(savedView).readonly() }),
  }),
  'POST /views': commandEndpoint({
    about: 'Saves a view. Its query consists of fields, as in `GET /sessions`; names are unique.',
    body: newView,
    answer: savedView,
  }),
  'PATCH /views/:view_id': commandEndpoint({ about: 'Changes a saved view.', body: changedView, answer: savedView }),
  'DELETE /views/:view_id': commandEndpoint({ about: 'Removes a saved view.', answer: done }),
};

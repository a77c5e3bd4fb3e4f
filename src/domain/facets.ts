import type { FieldName } from './session-fields.ts';

/** Fields whose values are counted for a list of sessions, in the order in which they are shown. */
export const FACET_FIELDS = [
  'workspace',
  'branch',
  'model',
  'tag',
  'kind',
  'is',
  'has',
  'device',
] as const satisfies readonly FieldName[];
export type FacetField = (typeof FACET_FIELDS)[number];

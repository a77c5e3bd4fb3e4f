/** Tokens that fit into the context of a model. */
const WINDOWS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'claude-3-5-haiku': 200_000,
    'claude-haiku-4-5': 200_000,
    'claude-haiku-5-5': 1_000_000,
    'claude-sonnet-4': 200_000,
    'claude-sonnet-4-0': 200_000,
    'claude-sonnet-4-5': 200_000,
    'claude-sonnet-4-6': 200_000,
    'claude-sonnet-5': 1_000_000,
    'claude-sonnet-5-5': 1_000_000,
    'claude-opus-4': 200_000,
    'claude-opus-4-5': 200_000,
    'claude-opus-4-6': 200_000,
    'claude-opus-4-7': 1_000_000,
    'claude-opus-4-8': 1_000_000,
    'claude-opus-5': 1_000_000,
    'claude-opus-5-5': 1_000_000,
    'claude-fable-5': 1_000_000,
    'claude-fable-5-1': 1_000_000,
    'claude-fable-5-2': 1_000_000,
    'claude-mythos-5': 1_000_000,
    'claude-mythos-5-1': 1_000_000,
    'claude-mythos-5-2': 1_000_000,
  }),
);

/** The names of releases end in their date. */
const DATE = /-\d{8}$/;

/**
 * The size of the context window of a model. Null if it is unknown, or if more was in it than the table says: then the
 * session used a beta with a larger window.
 */
export function windowOf(model: string | null, mostTokens: number): number | null {
  const known = model === null ? undefined : WINDOWS.get(model.replace(DATE, ''));
  return known === undefined || mostTokens > known ? null : known;
}

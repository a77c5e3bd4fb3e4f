import type { Step } from '../schema/walk-fields.ts';

/** Names longer than this, or that do not look like an identifier, may be somebody's data: they are not shown. */
const MAX_NAME_CHARS = 64;
/** Stands for a name that is not shown. */
export const HIDDEN_NAME = '(hidden)';
/** Version of records that precede the first line with a version. */
export const UNKNOWN_VERSION = 'unknown';
const MAX_VERSION_CHARS = 32;

export function safeName(name: string): string {
  return name.length <= MAX_NAME_CHARS && /^[\w$?-]+$/.test(name) ? name : HIDDEN_NAME;
}

/** Longer values are more likely data than a name that the client chose. */
const MAX_VALUE_CHARS = 32;

function safeValue(value: string): string {
  return value.length <= MAX_VALUE_CHARS && /^[A-Za-z][A-Za-z_:-]*$/.test(value) ? value : HIDDEN_NAME;
}

export function safeVersion(version: string | null | undefined): string {
  if (!version || version.length > MAX_VERSION_CHARS) return UNKNOWN_VERSION;
  return /^\d[\w.+-]*$/.test(version) ? version : UNKNOWN_VERSION;
}

/** The path without indices and without keys that are data. */
export function driftPath(lineType: string, path: readonly Step[]): string {
  let shown = lineType;
  for (const step of path) {
    if (step.kind === 'index') shown += '[]';
    else if (step.kind === 'key') shown += '.*';
    else if (step.kind === 'value') shown += `=${safeValue(step.name)}`;
    else if (step.kind === 'variant') shown += step.name === '' ? '' : `<${safeName(step.name)}>`;
    else shown += `.${safeName(step.name)}`;
  }
  return shown;
}

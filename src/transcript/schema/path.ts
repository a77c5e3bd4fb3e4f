import type { Step } from './walk-fields.ts';

/** A path in JavaScript notation, without variants and values. */
export function showPath(path: readonly Step[]): string {
  const steps = path.filter((step) => step.kind !== 'variant' && step.kind !== 'value');
  return joinKeys(steps.map((step) => (step.kind === 'index' ? step.index : step.name)));
}

/** Field names and array indices as one path: `message.content[0].text`. */
export function joinKeys(keys: readonly PropertyKey[]): string {
  let shown = '';
  for (const key of keys) {
    if (typeof key === 'number') shown += `[${key}]`;
    else shown += shown === '' ? String(key) : `.${String(key)}`;
  }
  return shown;
}

/** Our own records in their JSON form: all keys in snake_case, at any depth. Not for objects whose keys are data. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snakeName(name), toSnakeCase(inner)]));
}

function snakeName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])/g, '_').toLowerCase();
}

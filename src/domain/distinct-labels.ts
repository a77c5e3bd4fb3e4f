/** Names by key. A name that several keys have is followed by the place of each, in parentheses. */
export function distinctLabels(
  named: Iterable<{ readonly key: string; readonly label: string }>,
  placeOf: (key: string) => string,
): ReadonlyMap<string, string> {
  const labels = new Map([...named].map(({ key, label }) => [key, label]));
  const keys = Map.groupBy(labels.keys(), (key) => labels.get(key) as string);
  const isTaken = (label: string) => (keys.get(label)?.length ?? 0) > 1;
  return new Map([...labels].map(([key, label]) => [key, isTaken(label) ? `${label} (${placeOf(key)})` : label]));
}

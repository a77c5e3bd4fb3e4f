interface Placed {
  readonly id: string;
  readonly name: string;
  readonly place: string;
}

/** The folder or owner that a workspace is in, `work` for `/home/ada/work/api`; the whole place if that is not enough. */
export function shortPlaces(workspaces: readonly Placed[]): (id: string) => string {
  const parentOf = ({ place }: Placed) =>
    place
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-2) ?? place;
  const byParent = Map.groupBy(workspaces, (one) => `${one.name}\n${parentOf(one)}`);
  const short = new Map(
    [...byParent.values()].flatMap((all) =>
      all.map((one) => [one.id, all.length === 1 ? parentOf(one) : one.place] as const),
    ),
  );
  return (id) => short.get(id) ?? id;
}

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

/** How a person answered a question of the model, as the client writes it. Lists and views use the same rules. */
interface QuestionAnswer {
  readonly text: string;
  /** What the person added to it. */
  readonly notes: string | null;
}

/** An answer may contain quotes, so it ends where the client goes on. */
const END = /"(?:, "|\. |\.?$| (?:user )?notes:| selected)/;
const NOTES = /^ (?:user )?notes: ([^]*?)(?:, "|\. You can now|$)/;

/** Finds `"Which color?"="Blue" user notes: not too dark, "Which size?"=…` in the text of a result. */
export function answerIn(text: string, question: string): QuestionAnswer | null {
  const opening = `"${question}"="`;
  const at = text.indexOf(opening);
  if (at < 0) return null;
  const rest = text.slice(at + opening.length);
  const end = END.exec(rest)?.index ?? rest.indexOf('"');
  if (end < 0) return { text: rest, notes: null };
  return { text: rest.slice(0, end), notes: NOTES.exec(rest.slice(end + 1))?.[1] ?? null };
}

/** Options chosen in an answer, in the order of the question. Anything else is the person's own answer. */
export function chosenIn(answer: string | null, labels: readonly string[], isMultiSelect: boolean): readonly string[] {
  if (answer === null || answer === '') return [];
  if (!isMultiSelect || labels.includes(answer)) return [answer];
  let rest = answer;
  const found: string[] = [];
  for (const label of labels.toSorted((a, b) => b.length - a.length)) {
    const parts = rest.split(', ');
    const without = removeRun(parts, label.split(', '));
    if (without === null) continue;
    found.push(label);
    rest = without.join(', ');
  }
  const chosen = labels.filter((label) => found.includes(label));
  return rest === '' ? chosen : [...chosen, rest];
}

/** A label may itself contain commas, so it is matched as a run of parts. */
function removeRun(parts: readonly string[], run: readonly string[]): readonly string[] | null {
  const at = parts.findIndex((_, start) => run.every((part, offset) => parts[start + offset] === part));
  return at < 0 ? null : [...parts.slice(0, at), ...parts.slice(at + run.length)];
}

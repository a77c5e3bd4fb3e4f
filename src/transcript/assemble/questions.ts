import type { Question } from '../../domain/transcript-lists.ts';
import type { JsonObject, JsonValue } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { asList, asObject, asText } from '../read/json.ts';
import type { QuestionDraft, ToolCallDraft } from '../state.ts';

/** Maximum number of questions kept per call; the tool allows four. */
const MAX_QUESTIONS = 16;
const MAX_OPTIONS = 32;

/** AskUserQuestion's input: the questions with their options. */
export function noteQuestions(context: LineContext, input: JsonObject, toolUseId: string): void {
  const { state, thread, messageIndex: message } = context;
  for (const value of (asList(input['questions']) ?? []).slice(0, MAX_QUESTIONS)) {
    const asked = asObject(value);
    const question = asText(asked?.['question']);
    if (asked === null || question === null) continue;
    state.questions.push({
      toolUseId,
      thread,
      message,
      header: asText(asked['header']),
      question,
      isMultiSelect: asked['multiSelect'] === true,
      options: optionsOf(asked['options']),
      answer: null,
      notes: null,
    });
  }
}

function optionsOf(value: JsonValue | undefined): Question['options'] {
  return (asList(value) ?? []).slice(0, MAX_OPTIONS).flatMap((entry) => {
    const option = asObject(entry);
    const label = asText(option?.['label']) ?? asText(entry);
    return label === null ? [] : [{ label, description: asText(option?.['description']) }];
  });
}

/** The result lists answers by question; in sub-agent files only the result text has them. */
export function noteAnswers(
  { state }: LineContext,
  call: ToolCallDraft,
  result: JsonObject | null,
  text: string,
): void {
  const isAnswered = !call.isError && !call.isStopped && call.denial === null;
  const answers = asObject(result?.['answers']);
  const annotations = asObject(result?.['annotations']);
  for (const draft of state.questions) {
    if (draft.toolUseId !== call.id) continue;
    draft.answer = isAnswered ? (textOf(answers?.[draft.question]) ?? answerIn(text, draft.question)) : null;
    draft.notes = asText(asObject(annotations?.[draft.question])?.['notes']);
  }
}

function textOf(value: JsonValue | undefined): string | null {
  const list = asList(value);
  return list === null ? asText(value) : list.flatMap((entry) => asText(entry) ?? []).join(', ');
}

/** Finds `"Which colour?"="Blue"` in the text of a result. */
function answerIn(text: string, question: string): string | null {
  const opening = `"${question}"="`;
  const at = text.indexOf(opening);
  if (at < 0) return null;
  const rest = text.slice(at + opening.length);
  const end = /"(?:, "|\. |\.?$| user notes| selected)/.exec(rest)?.index ?? rest.indexOf('"');
  return end < 0 ? rest : rest.slice(0, end);
}

/** Options chosen in an answer, in the order of the question. Anything else is the person's own answer. */
export function chosenOf({ answer, options, isMultiSelect }: QuestionDraft): readonly string[] {
  if (answer === null || answer === '') return [];
  const labels = options.map(({ label }) => label);
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

import type { Decision } from './summary.ts';

/** Questions that the model asked with AskUserQuestion, and the answers in the result of the call. */
export function decisionsIn(input: unknown, result: string): readonly Decision[] {
  const questions = questionsIn(input);
  return questions.flatMap((question) => {
    const answer = answerTo(question, questions, result);
    return answer === null || answer === '' ? [] : [{ question, answer }];
  });
}

function questionsIn(input: unknown): readonly string[] {
  const list = (input as { readonly questions?: unknown } | null)?.questions;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: { readonly question?: unknown } | null) =>
    typeof item?.question === 'string' && item.question !== '' ? [item.question] : [],
  );
}

/** `"Which store?"="SQLite", "Which port?"="80". You can now continue …`; answers may hold quotation marks. */
function answerTo(question: string, questions: readonly string[], result: string): string | null {
  const start = result.indexOf(`"${question}"="`);
  if (start < 0) return null;
  const from = start + question.length + 4;
  const nexts = questions.map((other) => result.indexOf(`", "${other}"="`, from)).filter((at) => at >= 0);
  const ends = [...nexts, ...ENDINGS.map((ending) => result.indexOf(ending, from)).filter((at) => at >= 0)];
  return result.slice(from, ends.length === 0 ? result.length : Math.min(...ends)).trim();
}

const ENDINGS = ['". You can now continue', '" selected preview:', '" user notes:', '" notes:'];

import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

/** The prompt that was last typed (2.1.77 on); written again and again. */
export function readLastPromptLine({ state, record, file }: LineContext): void {
  if (file.role === 'main') state.facts.lastPrompt = asText(record['lastPrompt']) ?? state.facts.lastPrompt;
}

import { slashCommandIn } from '../../domain/slash-command.ts';
import type { JsonObject, MessageOrigin } from '../../domain/transcript.ts';
import type { LineContext } from '../line/context.ts';
import { asText } from '../read/json.ts';

/** The first line of a skill's own text. */
const SKILL_OPENING = 'Base directory for this skill:';

export function noteSkillCall(context: LineContext, input: JsonObject, toolUseId: string): void {
  const name = asText(input['skill']) ?? asText(input['command']);
  if (name === null) return;
  const { state, thread, messageIndex: message, timestamp } = context;
  state.skills.push({ name, args: asText(input['args']), by: 'model', toolUseId, thread, message, timestamp });
}

/** A slash command is a skill when the skill's own text follows it. */
export function noteCommand(context: LineContext, origin: MessageOrigin, text: string): void {
  const { state, thread, messageIndex: message, timestamp, record } = context;
  if (origin === 'command') {
    const typed = slashCommandIn(text);
    state.envelope.command =
      typed === null ? null : { name: typed.name.slice(1), args: typed.args || null, message, timestamp };
    return;
  }
  const { command } = state.envelope;
  if (command === null) return;
  if (origin !== 'meta') state.envelope.command = null;
  else if (text.startsWith(SKILL_OPENING) && record['sourceToolUseID'] === undefined) {
    state.envelope.command = null;
    state.skills.push({ ...command, by: 'person', toolUseId: null, thread });
  }
}

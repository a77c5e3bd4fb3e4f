import type { FileTouch } from '../../domain/transcript-structure.ts';
import type { JsonObject } from '../../domain/transcript.ts';
import { saidText } from '../../domain/text-origin.ts';
import { promptKeyOf } from '../assemble/prompt-key.ts';
import { asList, asObject, asText } from '../read/json.ts';
import type { SpawnInput } from '../state.ts';
import { countLines, countReplaced } from './patch.ts';

/** What the input of a call says about the files it means to touch. Sub-agents have no structured results to ask. */
export function filesOfInput(name: string, input: JsonObject): readonly FileTouch[] {
  const path = asText(input['file_path']) ?? asText(input['notebook_path']);
  if (path === null) return [];
  switch (name) {
    case 'Read':
    case 'NotebookRead':
      return [{ path, action: 'read', linesAdded: 0, linesRemoved: 0 }];
    case 'Write':
      return [{ path, action: 'create', linesAdded: countLines(asText(input['content']) ?? ''), linesRemoved: 0 }];
    case 'Edit':
      return [{ path, action: 'edit', ...replaced(input) }];
    case 'MultiEdit':
      return (asList(input['edits']) ?? []).flatMap((value) => {
        const edit = asObject(value);
        return edit === null ? [] : [{ path, action: 'edit', ...replaced(edit) } as const];
      });
    case 'NotebookEdit':
      return [{ path, action: 'edit', linesAdded: countLines(asText(input['new_source']) ?? ''), linesRemoved: 0 }];
    default:
      return [];
  }
}

function replaced(edit: JsonObject): Pick<FileTouch, 'linesAdded' | 'linesRemoved'> {
  return countReplaced(asText(edit['old_string']) ?? '', asText(edit['new_string']) ?? '');
}

/** The input of a Task or Agent call. */
export function spawnOf(input: JsonObject): SpawnInput {
  const prompt = asText(input['prompt']);
  return {
    promptKey: prompt === null ? null : promptKeyOf(saidText(prompt)),
    agentType: asText(input['subagent_type']),
    description: asText(input['description']),
    name: asText(input['name']),
    teamName: asText(input['team_name']),
    model: asText(input['model']),
    isBackground: input['run_in_background'] === true,
  };
}

import { asText } from '../read/json.ts';
import type { LineContext } from './context.ts';

export function readPermissionModeLine({ state, record }: LineContext): void {
  const mode = asText(record['permissionMode']);
  if (mode === null || mode === '') return;
  state.facts.permissionModes.add(mode);
  state.envelope.permissionMode = mode;
}

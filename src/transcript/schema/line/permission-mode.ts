import { word } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const PermissionModeLineSchema = stateLine('permission-mode', 'Permission mode; the last one holds.', {
  permissionMode: word('default', 'acceptEdits', 'bypassPermissions', 'plan', 'auto', 'dontAsk'),
});

import { permissionMode } from '../envelope.ts';
import { stateLine } from './state-line.ts';

export const PermissionModeLineSchema = stateLine('permission-mode', 'Permission mode; the last one holds.', {
  permissionMode,
});

import { variantsBy } from '../kit.ts';
import { PlainSystemSchema, SYSTEM_SCHEMAS } from '../system/subtypes.ts';

export const SystemLineSchema = variantsBy('subtype', SYSTEM_SCHEMAS, PlainSystemSchema);

import { isLineType as isLineTypeName, type LineType } from '../schema/line-types.ts';

/** The list of known types is shared with the schemas; here any JSON value may be asked about. */
export type { LineType };

export function isLineType(type: unknown): type is LineType {
  return typeof type === 'string' && isLineTypeName(type);
}

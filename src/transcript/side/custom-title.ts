import type { JsonValue } from '../../domain/transcript.ts';
import { pickText } from './pick.ts';
import { isObject, readSideJson, type SideInput, type SideResult } from './side-file.ts';

/** Reads `<session>/custom-title.json`, written by /rename: an object with the title, or the bare text. */
export function readCustomTitle(input: SideInput): SideResult<string | null> {
  return readSideJson<string | null>(input, null, (value, count) => {
    const title = titleOf(value)?.trim();
    if (title) return title;
    count('wrong_shape');
    return null;
  });
}

function titleOf(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) ? (pickText(value, 'customTitle') ?? pickText(value, 'title')) : null;
}

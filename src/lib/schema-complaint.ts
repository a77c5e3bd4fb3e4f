import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The problem with a value, to be appended to its name: the message of our schema, or our own wording instead of zod's. */
export function complaintOf(issue: Issue): string {
  // Messages of our schemas are appended to a name, so they start with a small letter; those of zod do not.
  if (/^[a-z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${articled(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `must be a valid ${issue.format === 'regex' ? 'value' : issue.format.replaceAll('_', ' ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_union':
      return unionComplaint(issue.errors);
    default:
      return 'is not valid';
  }
}

/** Reports the problem of the alternative that came closest. */
function unionComplaint(alternatives: readonly (readonly Issue[])[]): string {
  const closest = alternatives.toSorted((a, b) => a.length - b.length)[0]?.[0];
  return closest === undefined ? 'is not valid' : complaintOf(closest);
}

const UNITS: Readonly<Record<string, string>> = {
  string: ' characters long',
  array: ' entries long',
  set: ' entries long',
};

function unitOf(origin: string): string {
  return UNITS[origin] ?? '';
}

const NOUNS: Readonly<Record<string, string>> = { int: 'a whole number', record: 'an object', null: 'null' };

function articled(noun: string): string {
  return NOUNS[noun] ?? `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Field names and array indices as one path: `message.content[0].text`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

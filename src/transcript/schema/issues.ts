import type { z } from 'zod';
import { joinKeys } from './path.ts';

export interface LineIssue {
  /** For example `message.content[0].text`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** zod's issues as path and sentence. Of a union that failed, only the option that fits the value's JSON type speaks. */
export function readIssues(issues: readonly Issue[]): LineIssue[] {
  return issues.flatMap((issue) => readIssue(issue, []));
}

function readIssue(issue: Issue, prefix: readonly PropertyKey[]): LineIssue[] {
  const path = [...prefix, ...issue.path];
  if (issue.code !== 'invalid_union') return [{ path: joinKeys(path), message: lower(issue.message) }];
  const fitting = issue.errors.find((option) => option.some((inner) => inner.path.length > 0));
  if (!fitting) return [{ path: joinKeys(path), message: expectedOf(issue.errors.flat()) }];
  return fitting.flatMap((inner) => readIssue(inner, path));
}

function expectedOf(issues: readonly Issue[]): string {
  const names = issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : []));
  return names.length > 0 ? `expected ${[...new Set(names)].join(' or ')}` : 'does not fit';
}

function lower(message: string): string {
  return message.replace(/^Invalid input: /, '');
}

import { compileFields, type FieldNode } from '../fields.ts';
import { type LineIssue, readIssues } from '../issues.ts';
import { showPath } from '../path.ts';
import type { ValidateOptions } from '../validate-line.ts';
import { walkFields } from '../walk-fields.ts';
import { AGENT_INPUTS } from './agent.ts';
import { FILE_INPUTS } from './file.ts';
import { SESSION_INPUTS } from './session.ts';
import { SHELL_INPUTS } from './shell.ts';

/**
 * Inputs of the built-in tools. The model writes them, so they may break their own schema; the client then keeps
 * them as they are. Hence they are no part of `validateLine` and of the drift report.
 */
export const TOOL_INPUT_SCHEMAS = { ...SHELL_INPUTS, ...FILE_INPUTS, ...AGENT_INPUTS, ...SESSION_INPUTS };

export type ToolInputName = keyof typeof TOOL_INPUT_SCHEMAS;

export interface InputVerdict {
  readonly known: boolean;
  readonly ok: boolean;
  readonly issues: readonly LineIssue[];
}

/** Says whether the input of a tool call has the tool's shape. Tools not in the table (MCP, newer ones) pass. */
export function validateToolInput(
  name: string,
  input: unknown,
  { strict = false }: ValidateOptions = {},
): InputVerdict {
  if (!isToolInputName(name)) return { known: false, ok: true, issues: [] };
  const wrong = readIssues(TOOL_INPUT_SCHEMAS[name].safeParse(input).error?.issues ?? []);
  const issues = strict ? [...wrong, ...strayFields(name, input)] : wrong;
  return { known: true, ok: issues.length === 0, issues };
}

function isToolInputName(name: string): name is ToolInputName {
  return Object.hasOwn(TOOL_INPUT_SCHEMAS, name);
}

const compiled = new Map<ToolInputName, FieldNode>();

function strayFields(name: ToolInputName, input: unknown): LineIssue[] {
  const node = compiled.get(name) ?? compileFields(TOOL_INPUT_SCHEMAS[name]);
  compiled.set(name, node);
  const found: LineIssue[] = [];
  walkFields(node, input, (kind, path) => {
    if (kind === 'field') found.push({ path: showPath(path), message: 'unknown field' });
  });
  return found;
}

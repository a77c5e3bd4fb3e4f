import { z } from 'zod';
import { type EventType, endReason } from '../../domain/event.ts';
import { fileName } from '../../domain/file-path.ts';
import { SESSION_ID_PATTERN } from '../../domain/session.ts';

/**
 * Hook payloads, one schema per event. Only essential fields are required; a field of an unexpected type is ignored
 * here and stays in the event's data unchanged, like every unknown field.
 */

const MAX_NAME_CHARS = 100;

const maybeText = z.string().optional().catch(undefined);

const maybeId = z.string().min(1).max(200).optional().catch(undefined);
const base = z.object({ session_id: z.string().regex(SESSION_ID_PATTERN), cwd: maybeText, transcript_path: maybeText });
// Clients before 2.0.76 do not identify the sub-agent.
const agent = base.extend({ agent_id: maybeId, agent_type: maybeText, agent_transcript_path: maybeText });

export const hookName = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  .regex(/^[\w.:-]+$/);

/** How one kind of hook call becomes an event. The schema also adds fields to its data. */
export interface HookType {
  readonly type: EventType;
  readonly schema: z.ZodType<{ session_id: string }>;
}

type Fields = Record<string, unknown>;

function hookType<T extends typeof base>(
  type: EventType,
  schema: T,
  add: (payload: z.output<T>) => Fields = () => ({}),
): HookType {
  return { type, schema: schema.transform((payload) => ({ ...named(payload), ...add(payload) })) };
}

/** Adds the id under the name that the first fuel-code used. */
function named<T extends { session_id: string }>(payload: T): T & { cc_session_id: string } {
  return { ...payload, cc_session_id: payload.session_id };
}

const compact = base.extend({ trigger: maybeText });

const HOOKS: Readonly<Record<string, HookType>> = {
  SessionStart: hookType('session.start', base.extend({ source: maybeText, model: maybeText })),
  SessionEnd: hookType('session.end', base.extend({ reason: maybeText }), ({ reason }) => ({
    end_reason: endReason(reason),
  })),
  PreCompact: hookType('session.compact', compact, () => ({ phase: 'before' })),
  PostCompact: hookType('session.compact', compact, () => ({ phase: 'after' })),
  SubagentStart: hookType('subagent.start', agent),
  SubagentStop: hookType('subagent.stop', agent),
  WorktreeCreate: hookType('worktree.create', base.extend({ name: maybeText }), ({ name }) => ({
    worktree_name: name,
  })),
  WorktreeRemove: hookType('worktree.remove', base.extend({ worktree_path: maybeText }), ({ worktree_path }) => ({
    worktree_name: worktree_path === undefined ? undefined : fileName(worktree_path),
  })),
};

/** `input` converts the tool input to the fields of the event. */
function toolType(type: EventType, input: z.ZodType<Fields>): HookType {
  const schema = base.extend({ tool_name: z.string(), tool_use_id: maybeText, tool_input: input });
  return { type, schema: schema.transform(({ tool_input, ...call }) => ({ ...named(call), ...tool_input })) };
}

const message = z.object({ team_name: maybeText, type: maybeText, recipient: maybeText, to: maybeText });
const worktree = z.object({ name: maybeText }).transform(({ name }) => ({ worktree_name: name }));

/** Tool uses that are events; all others appear in the transcript only. */
const TOOLS: Readonly<Record<string, HookType>> = {
  TeamCreate: toolType('team.create', z.object({ team_name: z.string(), description: maybeText })),
  SendMessage: toolType(
    'team.message',
    message.transform(({ team_name, type, recipient, to }) => ({ team_name, message_type: type, to: recipient ?? to })),
  ),
  Skill: toolType(
    'skill.invoke',
    z.object({ skill: z.string(), args: maybeText }).transform(({ skill, args }) => ({ skill_name: skill, args })),
  ),
  EnterWorktree: toolType('worktree.create', worktree),
  ExitWorktree: toolType('worktree.remove', worktree),
};

/** The event type for a hook and, for tool hooks, its tool. */
export function typeOfHook(hook: string, tool: unknown): HookType {
  if (hook === 'PostToolUse' && typeof tool === 'string' && Object.hasOwn(TOOLS, tool)) return TOOLS[tool] as HookType;
  if (Object.hasOwn(HOOKS, hook)) return HOOKS[hook] as HookType;
  return hookType(`hook.${hook}`, base);
}

import { z } from 'zod';
import { endReason, type EventType } from '../../domain/event.ts';
import { SESSION_ID_PATTERN } from '../../domain/session.ts';

/**
 * What the hooks send, one schema an event. Only what an event cannot do without is demanded; a field of a kind we do
 * not expect is left out here and stays in the event's data as it came, like every field we do not know.
 */
const MAX_NAME_CHARS = 100;

const maybeText = z.string().optional().catch(undefined);

const maybeId = z.string().min(1).max(200).optional().catch(undefined);
const base = z.object({ session_id: z.string().regex(SESSION_ID_PATTERN), cwd: maybeText, transcript_path: maybeText });
// Clients before 2.0.76 do not say which sub-agent it was.
const agent = base.extend({ agent_id: maybeId, agent_type: maybeText, agent_transcript_path: maybeText });

export const hookName = z
  .string()
  .min(1)
  .max(MAX_NAME_CHARS)
  .regex(/^[\w.:-]+$/);

/** How one kind of call becomes an event: its type, its schema, and the fields we add to its data. */
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

/** The name that the first fuel-code gave the id. */
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
    worktree_name: worktree_path?.split(/[/\\]/).at(-1),
  })),
};

/** `input` turns what the tool was given into the fields of the event. */
function toolType(type: EventType, input: z.ZodType<Fields>): HookType {
  const schema = base.extend({ tool_name: z.string(), tool_use_id: maybeText, tool_input: input });
  return { type, schema: schema.transform(({ tool_input, ...call }) => ({ ...named(call), ...tool_input })) };
}

const message = z.object({ team_name: maybeText, type: maybeText, recipient: maybeText, to: maybeText });
const worktree = z.object({ name: maybeText }).transform(({ name }) => ({ worktree_name: name }));

/** Uses of tools that are events; all others are told by the transcript alone. */
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

/** The type of a call, by its hook and, for tools, by the tool. */
export function typeOfHook(hook: string, tool: unknown): HookType {
  if (hook === 'PostToolUse' && typeof tool === 'string' && Object.hasOwn(TOOLS, tool)) return TOOLS[tool] as HookType;
  if (Object.hasOwn(HOOKS, hook)) return HOOKS[hook] as HookType;
  return hookType(`hook.${hook}`, base);
}

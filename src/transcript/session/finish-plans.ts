import type { Plan } from '../../domain/transcript-structure.ts';
import type { Todo } from '../../domain/transcript-lists.ts';
import type { PlanDraft, SessionState } from '../state.ts';
import { asText } from '../read/json.ts';

export function finishPlans(state: SessionState): readonly Plan[] {
  return state.plans.map((plan) => {
    const call = plan.toolUseId === null ? undefined : state.toolCalls.get(plan.toolUseId);
    return {
      status: statusOf(state, plan),
      toolUseId: plan.toolUseId,
      messageId: state.messages[plan.message]?.id ?? null,
      filePath: plan.filePath ?? asText(call?.outcome?.details['planFile']),
      planningSessionId: plan.planningSessionId,
      characters: plan.characters,
      text: plan.text,
    };
  });
}

function statusOf(state: SessionState, plan: PlanDraft): Plan['status'] {
  if (plan.toolUseId === null) return 'implemented';
  const call = state.toolCalls.get(plan.toolUseId);
  if (call === undefined || call.results === 0) return 'proposed';
  if (call.denial !== null || call.isStopped) return 'rejected';
  // A call that failed by itself was never put to anybody.
  return call.isError ? 'proposed' : 'approved';
}

export function finishTodos(state: SessionState): readonly Todo[] {
  return [...state.todos.values()].map(({ thread, ...todo }) => ({
    ...todo,
    agentId: state.threads[thread]?.agentId ?? null,
  }));
}

export interface PlainTodo {
  readonly text: string;
  readonly status: string;
}

/** What a call did to one entry of a list. */
export type TodoChange = 'new' | 'started' | 'done' | 'reopened' | 'removed';

/** An entry of a list; null if the call left it as it was. */
export interface Todo extends PlainTodo {
  readonly change: TodoChange | null;
}

/** The new list, each entry with what changed, and the entries that are gone at the end. A first list is not a change. */
export function compareTodos(former: readonly PlainTodo[], todos: readonly PlainTodo[]): readonly Todo[] {
  if (former.length === 0) return todos.map((todo) => ({ ...todo, change: null }));
  // The same text can occur twice.
  const left = Map.groupBy(former, ({ text }) => text);
  const compared = todos.map((todo) => {
    const before = left.get(todo.text)?.shift();
    return { ...todo, change: before === undefined ? 'new' : changeOfStatus(before.status, todo.status) } as const;
  });
  const removed = [...left.values()].flat();
  return [...compared, ...removed.map((todo) => ({ ...todo, change: 'removed' }) as const)];
}

export function changeOfStatus(before: string, after: string): TodoChange | null {
  if (before === after) return null;
  if (after === 'completed') return 'done';
  if (after === 'deleted') return 'removed';
  if (before === 'completed') return 'reopened';
  return after === 'in_progress' ? 'started' : null;
}

import { Check, Circle, CircleDot, X } from 'lucide-react';
import type { TodoChange } from '../../../reading/todo-changes.ts';
import type { ListedTask } from '../../../reading/tool-output.ts';
import type { TaskView, ToolView } from '../../../reading/tool-view.ts';
import { Markdown } from '../../text/markdown-view.tsx';
import styles from './tool.module.css';

const STATES: ReadonlyMap<string, { readonly Icon: typeof Check; readonly name: string }> = new Map([
  ['completed', { Icon: Check, name: 'done' }],
  ['in_progress', { Icon: CircleDot, name: 'in progress' }],
  ['removed', { Icon: X, name: 'removed' }],
]);

function Box({ status }: { readonly status: string }) {
  const { Icon, name } = STATES.get(status) ?? { Icon: Circle, name: 'open' };
  return <Icon size={14} className={`${styles['box']} ${styles[status] ?? ''}`} role="img" aria-label={name} />;
}

interface CheckedProps {
  readonly status: string;
  readonly text: string;
  readonly change?: TodoChange | null;
}

function Checked({ status, text, change = null }: CheckedProps) {
  const isOver = status === 'completed' || change === 'removed';
  return (
    <li className={isOver ? styles['done'] : undefined} data-change={change ?? undefined}>
      <Box status={change === 'removed' ? 'removed' : status} />
      <span dir="auto">
        <span className={styles['task']}>{text}</span>
        {change !== null && <em className={`${styles['change']} ${styles[`change-${change}`] ?? ''}`}>{change}</em>}
      </span>
    </li>
  );
}

export function TodosBody({ todos }: Pick<Extract<ToolView, { kind: 'todos' }>, 'todos'>) {
  return (
    <ul className={styles['checklist']}>
      {todos.map(({ text, status, change }, index) => (
        <Checked key={index} status={status} text={text} change={change} />
      ))}
    </ul>
  );
}

export function TasksBody({ tasks }: { readonly tasks: readonly ListedTask[] }) {
  return (
    <ul className={styles['checklist']}>
      {tasks.map(({ id, text, status }) => (
        <Checked key={id} status={status} text={`#${id} ${text}`} />
      ))}
    </ul>
  );
}

export function TaskBody({ task: { id, text, status, owner, description, change } }: { readonly task: TaskView }) {
  const words = [text ?? status?.replaceAll('_', ' ') ?? '', owner === null ? '' : `for ${owner}`];
  const name = words.filter((word) => word !== '').join(' ');
  return (
    <>
      <ul className={styles['checklist']}>
        <Checked status={status ?? ''} text={id === null ? name : `#${id} ${name}`} change={change} />
      </ul>
      {description !== null && (
        <div className={styles['document']}>
          <Markdown text={description} />
        </div>
      )}
    </>
  );
}

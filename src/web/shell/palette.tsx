import { useState, type KeyboardEvent } from 'react';
import { useRealm } from '../routing/realm.ts';
import { useModal } from './dialog.tsx';
import type { Panel } from './panels.tsx';
import { type PaletteItem, usePaletteItems } from './palette-items.ts';
import styles from './palette.module.css';

interface PaletteProps {
  readonly initialText: string;
  readonly onClose: () => void;
  readonly onOpen: (panel: Panel | null) => void;
}

const LIST_ID = 'palette-list';
const optionId = (index: number) => `palette-${index}`;

/** Goes to a session, runs a search or a command: type, choose with the arrow keys, press Enter. */
export function Palette({ initialText, onClose, onOpen }: PaletteProps) {
  const modal = useModal(onClose);
  const [text, setText] = useState(initialText);
  const [chosen, setChosen] = useState(0);
  const items = usePaletteItems(useRealm(), text, onOpen);
  const current = Math.min(chosen, items.length - 1);
  const run = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && items.length > 0) setChosen((current + step + items.length) % items.length);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(items[current]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog {...modal} className={styles.palette} aria-label="Go to">
      <input
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={items.length === 0 ? undefined : optionId(current)}
        aria-label="Session, search or command"
        placeholder="Go to a session, search, or run a command"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Options items={items} current={current} onRun={run} />
    </dialog>
  );
}

interface OptionsProps {
  readonly items: readonly PaletteItem[];
  readonly current: number;
  readonly onRun: (item: PaletteItem) => void;
}

function Options({ items, current, onRun }: OptionsProps) {
  const groups = Map.groupBy(items, ({ group }) => group);
  return (
    <div id={LIST_ID} className={styles.list} role="listbox" aria-label="Results">
      {[...groups].map(([group, members]) => (
        <div key={group} role="group" aria-label={group}>
          <p className={styles.group} aria-hidden="true">
            {group}
          </p>
          {members.map((item) => {
            const index = items.indexOf(item);
            return <Option key={item.key} item={item} index={index} isCurrent={index === current} onRun={onRun} />;
          })}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly item: PaletteItem;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly onRun: (item: PaletteItem) => void;
}

function Option({ item, index, isCurrent, onRun }: OptionProps) {
  const Icon = item.icon;
  return (
    <div
      id={optionId(index)}
      className={item.isTall === true ? `${styles.option} ${styles.tall}` : styles.option}
      role="option"
      aria-selected={isCurrent}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={() => onRun(item)}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
      <bdi className={styles.label}>{item.label}</bdi>
      {item.detail !== undefined && <bdi className={styles.detail}>{item.detail}</bdi>}
    </div>
  );
}

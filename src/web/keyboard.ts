import { useEffect, useRef } from 'react';

/** A keyboard shortcut of the current screen. */
export interface Shortcut {
  /** Values of `KeyboardEvent.key`, all with the same effect. `Mod+k` is K with Ctrl, or with ⌘ on a Mac. */
  readonly keys: readonly string[];
  /** What it does, for the list of keys; omitted from the list if empty. */
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

export const EVERYWHERE = 'Everywhere';

/** The keys that work right now. What the page does and what it lists come from here, so they cannot differ. */
const active = new Set<{ readonly title: string; readonly current: () => readonly Shortcut[] }>();

/** Keys of the screen come before those of the frame, and among them the ones that were added last. */
function groupsInOrder() {
  const all = [...active].reverse();
  return [...all.filter(({ title }) => title !== EVERYWHERE), ...all.filter(({ title }) => title === EVERYWHERE)];
}

/** The labelled keys that work right now, one group per title. */
export function activeShortcuts(): readonly ShortcutGroup[] {
  const groups = new Map<string, Shortcut[]>();
  for (const { title, current } of groupsInOrder()) {
    const labelled = current().filter(({ label }) => label !== '');
    // Those of the innermost part of a screen come first: they move through what is on it.
    if (labelled.length > 0) groups.set(title, [...labelled, ...(groups.get(title) ?? [])]);
  }
  return [...groups].map(([title, shortcuts]) => ({ title, shortcuts }));
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const isMod = event.ctrlKey || event.metaKey;
  const isInDialog = document.querySelector('dialog[open]') !== null;
  if (!isMod && (isTyping(event.target) || isInDialog)) return;
  const pressed = isMod ? `Mod+${event.key.toLowerCase()}` : event.key;
  const found = groupsInOrder()
    .filter(({ title }) => !isInDialog || title === EVERYWHERE)
    .flatMap(({ current }) => current())
    .find(({ keys }) => keys.includes(pressed));
  if (found === undefined) return;
  event.preventDefault();
  found.run(event);
}

/**
 * Adds keys while the component is on the page and lists them under the title. Keys without Mod are not active in text
 * fields and dialogs, and those of a screen are not active in dialogs.
 */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const group = { title, current: () => latest.current };
    if (active.size === 0) window.addEventListener('keydown', onKeyDown);
    active.add(group);
    return () => {
      active.delete(group);
      if (active.size === 0) window.removeEventListener('keydown', onKeyDown);
    };
  }, [title]);
}

/** A dialog that was just closed keeps the focus until the next frame; nobody types into it anymore. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.closest('dialog:not([open])') !== null) return false;
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}

/** Whether Enter already has a meaning for the focused element. */
export function isOnControl(event: KeyboardEvent): boolean {
  return event.target instanceof HTMLElement && event.target.closest('a, button, summary') !== null;
}

import { useSyncExternalStore } from 'react';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: ToastAction | undefined;
}

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 4_000;
/** Longer, so that there is time to use it. */
const SHOWN_WITH_ACTION_MS = 12_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message for a few seconds, such as "Copied". Errors that need an answer do not belong here. */
export function showToast(text: string, action?: ToastAction): void {
  const toast = { id: ++lastId, text, action };
  change([...toasts.filter((each) => each.text !== text), toast]);
  setTimeout(() => hideToast(toast.id), action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
}

export function hideToast(toastId: number): void {
  change(toasts.filter(({ id }) => id !== toastId));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts);
}

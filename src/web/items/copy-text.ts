import { showToast } from '../shell/toasts.ts';

/** Browsers allow this only on HTTPS and on loopback. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`${what} copied`);
  } catch {
    showToast('The browser does not allow copying here');
  }
}

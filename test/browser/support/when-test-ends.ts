import { onTestFinished } from 'vitest';

/** Runs the action when the current test ends, the last added first. Returns false outside of a test. */
export function whenTestEnds(action: () => Promise<void>): boolean {
  try {
    onTestFinished(action);
    return true;
  } catch {
    return false;
  }
}

import type { App } from '../app/open-app.ts';
import { unknownCaptures } from '../reading/sentences.ts';
import { remark } from './say.ts';
import type { Terminal } from './terminal.ts';

/** Says so beside the answer of a command: what it shows is not everything there is. */
export async function remarkUnknownCaptures(terminal: Terminal, app: App): Promise<void> {
  const count = await app.countUnknownCaptures();
  if (count > 0) remark(terminal, unknownCaptures(count));
}

export function readOnlyFolder(home: string): string {
  return `The data folder ${home} cannot be written: this is what is stored, and nothing new is imported.`;
}

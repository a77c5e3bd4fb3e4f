import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDrift } from '../../src/transcript/drift.ts';
import { validateLine } from '../../src/transcript/schema/lines.ts';
import { type Lab, linesOf } from './lab.ts';

/** Everything in the transcripts of a lab that the schemas do not know: names only, never contents. */
export function driftOf({ claudeHome }: Lab): string[] {
  const drift = createDrift();
  const found = new Set<string>();
  for (const path of transcriptsIn(join(claudeHome, 'projects'))) {
    let version: string | null = null;
    for (const line of linesOf(readFileSync(path, 'utf8'))) {
      version = line.version ?? version;
      drift.see(line, version);
      const { issues } = validateLine(line, { strict: true });
      for (const { path, message } of issues) found.add(`${line.type} ${path}: ${message}`);
    }
  }
  for (const { kind, path } of drift.report().entries) found.add(`${kind} ${path}`);
  return [...found].toSorted();
}

/** The journal of a workflow is not a transcript. */
function transcriptsIn(projects: string): string[] {
  if (!existsSync(projects)) return [];
  return readdirSync(projects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl') && entry.name !== 'journal.jsonl')
    .map((entry) => join(entry.parentPath, entry.name));
}

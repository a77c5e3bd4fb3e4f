import { createReadStream, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inspectTranscript } from '../archive/inspect-transcript.ts';
import { FuelError } from '../domain/errors.ts';

interface Listed {
  /** Transcripts first, then the sub-agents in files beside them, which belong to a session of the former. */
  readonly paths: readonly string[];
  /** Files of a folder that are not transcripts, such as `history.jsonl`. */
  readonly skipped: readonly string[];
}

/**
 * The transcripts among these files and in these folders. A file that was named explicitly is always included: storing it
 * reports what is wrong with it. Errors: usage when there is none, file_unavailable.
 */
export async function listTranscripts(operands: readonly string[]): Promise<Listed> {
  const paths = new Set<string>();
  const skipped: string[] = [];
  for (const operand of operands) {
    if (!statSync(operand).isDirectory()) paths.add(operand);
    else {
      for (const path of findIn(operand)) {
        if ((await inspectTranscript(createReadStream(path))).isTranscript) paths.add(path);
        else skipped.push(path);
      }
    }
  }
  if (paths.size === 0) {
    throw new FuelError('usage', `No transcripts in ${operands.join(', ')}.`, {
      hint: 'Pass a folder with JSONL files from Claude Code, for example .claude/projects in a backup.',
    });
  }
  const isAgent = (path: string) => Number(basename(path).startsWith('agent-'));
  return { paths: [...paths].toSorted((a, b) => isAgent(a) - isAgent(b) || (a < b ? -1 : 1)), skipped };
}

/** JSONL files below a folder, without those that are stored with the transcript beside their folder. Follows no links. */
function findIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const found = new Set(names);
  return names
    .filter((name) => !ancestors(name).some((part) => found.has(`${part}.jsonl`)))
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile());
}

function ancestors(name: string): readonly string[] {
  const parts: string[] = [];
  for (let part = dirname(name); part !== '.' && part !== dirname(part); part = dirname(part)) parts.push(part);
  return parts;
}

import { readSide, type SideInput, type SideResult } from './side-file.ts';

/** `plans/<slug>.md`: a plan written in plan mode. The slug is that of the session. */
export interface Plan {
  readonly slug: string;
  /** First heading; null when there is none. */
  readonly title: string | null;
  readonly text: string;
}

const MAX_TITLE_CHARS = 200;
/** A heading after more lines than this is not the title. */
const MAX_LINES_BEFORE_TITLE = 50;

/** `fileName` may be a whole path of either system. */
export function readPlan(input: SideInput, fileName: string): SideResult<Plan> {
  const slug = slugOf(fileName);
  return readSide(input, { slug, title: null, text: '' }, (text) => ({ slug, title: titleOf(text), text }));
}

function slugOf(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  return base.toLowerCase().endsWith('.md') ? base.slice(0, -'.md'.length) : base;
}

function titleOf(text: string): string | null {
  let fenced = false;
  for (const line of text.split('\n', MAX_LINES_BEFORE_TITLE)) {
    if (line.trimStart().startsWith('```')) fenced = !fenced;
    const title = fenced ? '' : headingOf(line);
    if (title !== '') return title.slice(0, MAX_TITLE_CHARS);
  }
  return null;
}

function headingOf(line: string): string {
  let level = 0;
  while (line[level] === '#') level += 1;
  return level > 0 && line[level] === ' ' ? line.slice(level).trim() : '';
}

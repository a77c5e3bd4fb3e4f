import type { FileStats } from '../api/usage.ts';

type Figures = Pick<FileStats, 'reads' | 'writes' | 'lines_added' | 'lines_removed'>;

/** A folder or file with what was done in it. */
export interface FileNode extends Figures {
  /** What the row shows: a name, or several folders that contain nothing else. */
  readonly name: string;
  /** The path up to here; of a file, the whole path. */
  readonly path: string;
  readonly file: FileStats | null;
  readonly children: readonly FileNode[];
  readonly files: number;
}

interface Draft {
  readonly children: Map<string, Draft>;
  file: FileStats | null;
}

const newDraft = (): Draft => ({ children: new Map(), file: null });

/** Files by folder, the busiest first. Folders with a single entry are one row with it. */
export function buildFileTree(files: readonly FileStats[]): readonly FileNode[] {
  const root = newDraft();
  for (const file of files) {
    let at = root;
    for (const part of partsOf(file.path)) {
      const next = at.children.get(part) ?? newDraft();
      at.children.set(part, next);
      at = next;
    }
    at.file = file;
  }
  return childrenOf(root, '');
}

/** Every part keeps the separator before it, so that the parts of a path add up to it, on Windows too. */
function partsOf(path: string): readonly string[] {
  return path.split(/(?=[/\\])/);
}

function childrenOf({ children }: Draft, path: string): readonly FileNode[] {
  const nodes = [...children].map(([part, draft]) => toNode(part, draft, path + part));
  return nodes.toSorted((a, b) => heatOf(b) - heatOf(a) || (a.path < b.path ? -1 : 1));
}

function toNode(name: string, draft: Draft, path: string): FileNode {
  const children = childrenOf(draft, path);
  const [only] = children;
  if (draft.file === null && only !== undefined && children.length === 1 && only.file === null)
    return { ...only, name: name + only.name };
  const all = draft.file === null ? children : [...children, draft.file];
  const sum = (pick: (figures: Figures) => number) => all.reduce((total, each) => total + pick(each), 0);
  return {
    name,
    path,
    file: draft.file,
    children,
    files: children.reduce((total, each) => total + each.files, draft.file === null ? 0 : 1),
    reads: sum(({ reads }) => reads),
    writes: sum(({ writes }) => writes),
    lines_added: sum(({ lines_added }) => lines_added),
    lines_removed: sum(({ lines_removed }) => lines_removed),
  };
}

/** How much happened in a file: an edit says more than a read. */
const EDIT_WEIGHT = 3;

export function heatOf({ reads, writes }: Pick<Figures, 'reads' | 'writes'>): number {
  return reads + EDIT_WEIGHT * writes;
}

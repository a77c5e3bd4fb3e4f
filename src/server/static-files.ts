import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { MAX_STATIC_FILE_BYTES, MAX_STATIC_FILES } from './limits.ts';

interface StaticFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** URL path → file. Made once from the folder's listing: no part of a request ever becomes part of a file name. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

export const INDEX_PATH = '/';
export const ASSETS_PREFIX = '/assets/';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);

/** The page as vite built it: `index.html` and `assets/`. Empty when the page is not built. */
export function readStaticFiles(webRoot: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  addFile(files, INDEX_PATH, join(webRoot, 'index.html'));
  for (const name of listNames(join(webRoot, 'assets')).slice(0, MAX_STATIC_FILES)) {
    addFile(files, ASSETS_PREFIX + name, join(webRoot, 'assets', name));
  }
  return files;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function addFile(files: Map<string, StaticFile>, urlPath: string, filePath: string): void {
  const contentType = CONTENT_TYPES.get(extname(filePath));
  const stat = statSync(filePath, { throwIfNoEntry: false });
  if (contentType === undefined || stat?.isFile() !== true || stat.size > MAX_STATIC_FILE_BYTES) return;
  files.set(urlPath, { bytes: new Uint8Array(readFileSync(filePath)), contentType });
}

import type { ExportOptions } from '../app/data-source.ts';
import { FuelError } from '../domain/errors.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../domain/requests.ts';
import { readTurnRange } from '../domain/turn-range.ts';
import type { CommandOption, ParsedArguments } from './command.ts';
import { printNote, RAW_WARNING } from './output.ts';
import { readChoice } from './parse-arguments.ts';
import type { Source } from './source.ts';
import type { Terminal } from './terminal.ts';

const NO_IMAGES = 'no-images';

/** Options of `fuel-code session` that print it as a file. */
export const EXPORT_OPTIONS = {
  export: {
    type: 'string',
    value: 'FORMAT',
    values: EXPORT_FORMATS,
    about:
      'Print the session with secrets redacted: md (Markdown for GitHub), html (one page), json (docs/export-schema.json), csv (messages and tool calls with costs), or parsed (complete, straight from the archive).',
  },
  turns: { type: 'string', value: 'N-M', needs: ['export'], about: 'With --export: only these turns: 3, 3-7 or 3-.' },
  [NO_IMAGES]: {
    type: 'boolean',
    needs: ['export'],
    about: 'With --export html: name images instead of embedding them.',
  },
  raw: { type: 'boolean', needs: ['export'], about: 'With --export: do not redact secrets; not for html.' },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Errors: usage. */
export function ensureRedactable(format: ExportFormat, raw: boolean): void {
  if (!raw || format !== 'html') return;
  throw new FuelError('usage', 'HTML is always redacted; --raw works with the other formats.', {
    hint: 'Remove --raw, or choose another format.',
  });
}

/** Errors: usage. */
export function ensureHasImages(format: ExportFormat, flags: ReadonlySet<string>): void {
  if (!flags.has(NO_IMAGES) || format === 'html') return;
  throw new FuelError('usage', `--${NO_IMAGES} only applies to the format html.`, { hint: `Remove --${NO_IMAGES}.` });
}

/** The wanted export, or null; checked before anything is opened. Errors: usage. */
export function readExport(args: ParsedArguments): ExportOptions | null {
  const { flags, values } = args;
  const format = readChoice(args, 'export', EXPORT_FORMATS);
  if (format === undefined) return null;
  const turns = values.get('turns');
  if (turns !== undefined) readTurnRange(turns, '--turns');
  const raw = flags.has('raw');
  ensureRedactable(format, raw);
  ensureHasImages(format, flags);
  return { format, raw, turns, images: !flags.has(NO_IMAGES) };
}

const IMAGE_MARK = '<img class="image"';

export async function printExport(
  terminal: Terminal,
  source: Source,
  id: string,
  request: ExportOptions,
): Promise<void> {
  const { texts } = await source.exportSession(id, request);
  if (request.raw) printNote(terminal, RAW_WARNING);
  const images = createCounter(IMAGE_MARK);
  for await (const text of texts) {
    images.add(text);
    terminal.out(text);
  }
  if (request.format === 'html' && images.count() > 0)
    printNote(terminal, 'Images are not checked for secrets; --no-images leaves them out.');
}

/** Counts a mark in a text that comes in pieces. */
function createCounter(mark: string) {
  let [count, tail] = [0, ''];
  return {
    add: (text: string) => {
      const all = tail + text;
      count += all.split(mark).length - 1;
      tail = all.slice(-(mark.length - 1));
    },
    count: () => count,
  };
}

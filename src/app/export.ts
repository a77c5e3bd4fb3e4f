import type { Get } from '../api/table.ts';
import { FuelError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/transcript.ts';
import { readTurnRange, type TurnRange } from '../domain/turn-range.ts';
import { exportSession as exportParsed } from '../pipeline/export-session.ts';
import type { Media } from '../reading/media.ts';
import { exportName } from '../reading/names.ts';
import { csvOf } from '../share/export/csv.ts';
import { jsonOf } from '../share/export/json.ts';
import { writeSession } from '../share/export/markdown.ts';
import { openSession, type SessionExport } from '../share/export/session-export.ts';
import { openPage, type PageFile } from '../share/page/page.ts';
import { getSessionDetail } from '../store/queries/sessions/session-rows.ts';
import { readMedia } from './archived-message.ts';
import type { DataSourceOptions, ExportOptions } from './data-source.ts';
import { NO_REDACTION, redactionOf } from './redaction.ts';

interface Deps extends DataSourceOptions {
  readonly get: Get;
}

/** A session in one of the formats. Errors: usage, not_found, ambiguous. */
export async function exportSession(deps: Deps, idOrPrefix: string, request: ExportOptions): Promise<PageFile> {
  const { format, raw = false } = request;
  const turns = request.turns === undefined ? null : readTurnRange(request.turns, 'turns');
  ensureFits(request);
  if (format === 'parsed') return openParsed(deps, idOrPrefix, raw);
  if (format === 'html') return openHtml(deps, idOrPrefix, { turns, images: request.images ?? true });
  const redaction = raw ? NO_REDACTION : redactionOf(await deps.openRedactor());
  const opened = await openSession(redaction.get(deps.get), idOrPrefix, turns);
  const texts = textsOf({ ...opened, showIds: redaction.ids }, format, raw);
  return { fileName: exportName(opened.session, format), texts };
}

/** Errors: usage. */
function ensureFits({ format, raw, turns }: ExportOptions): void {
  if (format === 'html' && raw === true) {
    throw new FuelError('usage', 'HTML is always redacted; raw works with the other formats.', {
      hint: 'Omit raw, or choose another format.',
    });
  }
  if (format === 'parsed' && turns !== undefined) {
    throw new FuelError('usage', 'The format parsed is always the whole session.', {
      hint: 'Omit turns, or choose json.',
    });
  }
}

function textsOf(opened: SessionExport, format: 'md' | 'json' | 'csv', raw: boolean): AsyncGenerator<string> {
  if (format === 'md') return writeSession(opened);
  return format === 'csv' ? csvOf(opened) : jsonOf(opened, !raw);
}

async function openHtml(
  deps: Deps,
  idOrPrefix: string,
  { turns, images }: { readonly turns: TurnRange | null; readonly images: boolean },
): Promise<PageFile> {
  const { id } = await deps.get('/sessions/:id', { params: { id: idOrPrefix } });
  const redactor = await deps.openRedactor();
  return openPage({ get: deps.get, redactor }, id, { turns, readImage: images ? imagesOf(deps, id) : null });
}

/** Images that the archive lacks, or that are too large to be read, are named instead. */
function imagesOf(deps: Deps, id: string) {
  return async ({ messageId, block, part }: Media): Promise<Uint8Array | null> => {
    try {
      return await readMedia(deps, id, { messageId, blockOrder: block, part });
    } catch (error) {
      if (error instanceof FuelError && (error.code === 'not_found' || error.code === 'too_large')) return null;
      throw error;
    }
  };
}

async function openParsed(deps: Deps, idOrPrefix: string, raw: boolean): Promise<PageFile> {
  const { id, title, initial_prompt, git_branch } = await getSessionDetail(deps.engine.kysely, idOrPrefix);
  const redactor = raw ? null : await deps.openRedactor();
  const redact = <T extends JsonValue>(value: T): T => (redactor === null ? value : (redactor.json(value).value as T));
  return {
    // The file name contains text of the session.
    fileName: exportName({ id, ...redact({ title, initial_prompt, git_branch }) }, 'json'),
    texts: exportParsed(deps, id, redact),
  };
}

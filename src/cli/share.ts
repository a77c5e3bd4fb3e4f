import { statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { NewShare, Share, SharePreview } from '../api/shares.ts';
import type { PageFile } from '../app/data-source.ts';
import { SECOND_MS } from '../domain/durations.ts';
import { errnoOf, FuelError, toFuelError } from '../domain/errors.ts';
import { DEFAULT_SHARE_MS, MAX_SHARE_MS, MIN_SHARE_MS } from '../domain/requests.ts';
import { readDuration } from '../lib/dates.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatAgo, formatBytes, formatDate, formatTime, plural } from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { type Command, JSON_OPTION, NO_IMPORT_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { LIST_OPTIONS, printJson, printLine, printList, wrapLines } from './output.ts';
import { isRemote, openSource, remoteWords, type Source } from './source.ts';
import type { Column } from './table.ts';
import type { Terminal } from './terminal.ts';

export const shareCommand: Command = {
  name: 'share',
  about: 'Share a session as a file or as a link to a page on a server. Secrets are replaced.',
  operands: '<id or prefix>',
  minOperands: 1,
  maxOperands: 1,
  options: {
    preview: { type: 'boolean', about: 'Only show the page size and what would be replaced.' },
    file: {
      type: 'string',
      value: 'FILE',
      about: 'Write the page to this file or folder; no server needed.',
    },
    expires: {
      type: 'string',
      value: 'DURATION',
      about: 'How long the link works: 12h, 7d, 2w, 6mo, up to 1y (default 7d).',
    },
    note: { type: 'string', value: 'TEXT', about: 'Private note about the link; not shown on the page.' },
    'no-import': NO_IMPORT_OPTION,
    json: JSON_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code share 3f2a91c0 --preview', 'Show what would be shared.'],
    ['fuel-code share 3f2a91c0 --file session.html', 'Write a file that opens in any browser.'],
    ['fuel-code share 3f2a91c0 --remote --expires 2w', 'Create a link on the configured server.'],
    ['fuel-code shares', 'List active links, for example to revoke one.'],
  ],
  run: async (context, args) => {
    const share = readAim(args);
    await using source = await openSource(context, args, 'rows');
    const { id } = await source.get('/sessions/:id', { params: { id: args.positionals[0] ?? '' } });
    await share({ terminal: context.terminal, source, id, isJson: args.flags.has('json') });
  },
};

interface Sharing {
  readonly terminal: Terminal;
  readonly source: Source;
  readonly id: string;
  readonly isJson: boolean;
}

/** The requested action; invalid command lines are rejected before anything is opened. Errors: usage. */
function readAim(args: ParsedArguments): (sharing: Sharing) => Promise<void> {
  const file = args.values.get('file');
  const expires = args.values.get('expires');
  const note = args.values.get('note');
  const isLink = file === undefined && !args.flags.has('preview');
  if (!isLink && (expires !== undefined || note !== undefined)) {
    throw new FuelError('usage', '--expires and --note only apply to links, not to --file or --preview.');
  }
  if (args.flags.has('preview')) return preview;
  if (file !== undefined) return (sharing) => toFile(sharing, file);
  if (!isRemote(args)) {
    throw new FuelError('usage', 'A link requires a server that others can reach.', {
      hint: 'Use --remote or --server URL, or write a file with --file session.html.',
    });
  }
  const expiresInMs = expires === undefined ? DEFAULT_SHARE_MS : readDuration(expires, '--expires');
  if (expiresInMs < MIN_SHARE_MS || expiresInMs > MAX_SHARE_MS) {
    throw new FuelError('usage', `--expires must be between 1 minute and 365 days, not ${JSON.stringify(expires)}.`);
  }
  const body = { expires_in: Math.round(expiresInMs / SECOND_MS), note };
  const where = remoteWords(args).join(' ');
  return async (sharing) => {
    const { source, id } = sharing;
    printLink(sharing, await source.send('POST /sessions/:id/shares', { params: { id }, body }), where);
  };
}

async function preview({ terminal, source, id, isJson }: Sharing): Promise<void> {
  const shown = await source.get('/sessions/:id/shares/preview', { params: { id } });
  if (isJson) return printJson(terminal, shown);
  printLine(terminal, shown.title);
  printLine(terminal, `Page size: ${formatBytes(shown.size_bytes)}. ${replacedIn(shown)}`);
  printKinds(terminal, shown);
  printLine(terminal, 'Nothing was written or shared.');
}

async function toFile({ terminal, source, id, isJson }: Sharing, file: string): Promise<void> {
  const written = await writePage(await source.exportSession(id, { format: 'html', images: false }), file);
  if (isJson) return printJson(terminal, written);
  const { path, size_bytes } = written;
  terminal.out(wrapLines(terminal, `Written: ${visibleLine(path)} (${formatBytes(size_bytes)})\n`));
}

function printLink({ terminal, source, isJson }: Sharing, { path, url: _, ...share }: NewShare, where: string): void {
  const url = new URL(path, source.pageAddress ?? undefined).href;
  if (isJson) return printJson(terminal, { ...share, url });
  terminal.out(`${url}\n`);
  const until = formatTime(share.expires_at);
  printLine(terminal, `Anyone with this link can read the page until ${until}. ${replacedIn(share)}`);
  printKinds(terminal, share);
  printLine(terminal, `To revoke it: fuel-code shares ${where} --revoke ${share.id}`);
}

type Redacted = Pick<SharePreview, 'redacted'>;

function replacedIn({ redacted }: Redacted): string {
  const count = Object.values(redacted).reduce((sum, each) => sum + each, 0);
  if (count === 0) return 'No secrets found.';
  return `${plural(count, 'replacement')}:`;
}

function printKinds(terminal: Terminal, { redacted }: Redacted): void {
  for (const [kind, count] of Object.entries(redacted)) printLine(terminal, `${kind}: ${count}`);
}

interface WrittenPage {
  readonly path: string;
  readonly size_bytes: number;
}

const PRIVATE_MODE = 0o600;

/**
 * Writes a page to a new file: the given one, or one with a generated name in the given folder. Errors: usage,
 * file_unavailable.
 */
async function writePage({ fileName, texts }: PageFile, to: string): Promise<WrittenPage> {
  const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isFolder ? join(resolve(to), fileName) : resolve(to);
  const file = await open(path, 'wx', PRIVATE_MODE).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
  let size_bytes = 0;
  try {
    for await (const text of texts) size_bytes += (await file.write(text)).bytesWritten;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { path, size_bytes };
}

function cannotWrite(path: string, cause: unknown): FuelError {
  if (errnoOf(cause) !== 'EEXIST') return toFuelError(cause);
  return new FuelError('usage', `${path} already exists. Nothing was changed.`, {
    hint: 'Choose another name or remove the file first.',
    cause,
  });
}

export const sharesCommand: Command = {
  name: 'shares',
  about: 'List active share links, newest first, or revoke one.',
  options: {
    session: { type: 'string', value: 'ID', about: 'Only links to this session.' },
    revoke: { type: 'string', value: 'LINK', about: 'Revoke this link and remove its page.' },
    ...LIST_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code shares --remote', 'List the links on the server.'],
    ['fuel-code shares --remote --revoke 01KA3T', 'Revoke the link whose id starts with 01KA3T.'],
  ],
  run: async (context, args) => {
    await using source = await openSource(context, args);
    const revoked = args.values.get('revoke');
    if (revoked !== undefined) {
      await source.send('DELETE /shares/:share_id', { params: { share_id: revoked } });
      if (args.flags.has('json')) return printJson(context.terminal, { revoked });
      return printLine(context.terminal, 'Link revoked; its page has been removed.');
    }
    const session = args.values.get('session');
    const { shares: rows } =
      session === undefined
        ? await source.get('/shares')
        : await source.get('/sessions/:id/shares', { params: { id: session } });
    const empty = 'No links. Create one with `fuel-code share <id>`.\n';
    await printList(context, args, {
      name: 'shares',
      rows,
      columns: columns(context.clock.now()),
      csv: CSV_COLUMNS,
      empty,
    });
  },
};

const CSV_COLUMNS = [
  'id',
  'session_id',
  'title',
  'note',
  'size_bytes',
  'redacted',
  'created_at',
  'expires_at',
] as const;

const ID_CHARS = 13;

function columns(now: Date): readonly Column<Share>[] {
  return [
    { title: 'ID', text: ({ id }) => id.slice(0, ID_CHARS), style: () => 'cyan' },
    { title: 'SESSION', fromColumns: 80, text: ({ session_id }) => shortId(session_id) },
    { title: 'TITLE', grows: true, text: ({ title }) => title },
    { title: 'NOTE', fromColumns: 120, maxColumns: 30, text: ({ note }) => note ?? '' },
    { title: 'SIZE', align: 'right', fromColumns: 90, text: ({ size_bytes }) => formatBytes(size_bytes) },
    { title: 'SHARED', fromColumns: 100, text: ({ created_at }) => formatAgo(created_at, now) },
    { title: 'EXPIRES', text: ({ expires_at }) => formatDate(expires_at) },
  ];
}

import { FuelError } from '../domain/errors.ts';
import type { NewShare, SharePreview } from '../api/shares.ts';
import { DEFAULT_SHARE_MS } from '../domain/share.ts';
import { readDuration } from '../lib/dates.ts';
import { visibleLine } from '../lib/visible.ts';
import { formatBytes, formatTime } from '../reading/format.ts';
import { type Command, JSON_OPTION, NO_IMPORT_OPTION, type ParsedArguments, REMOTE_OPTIONS } from './command.ts';
import { printJson } from './json.ts';
import { inColumns, say } from './say.ts';
import { isRemote, openSource, type Source } from './source.ts';
import type { Terminal } from './terminal.ts';
import { writePage } from './write-page.ts';
import { SECOND_MS } from '../domain/durations.ts';

export const command: Command = {
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
    ['fuel-code share 3f2a91c0 --file talk.html', 'Write a file that opens in any browser.'],
    ['fuel-code share 3f2a91c0 --remote --expires 2w', 'Create a link on the configured server.'],
    ['fuel-code shares', 'List links; they can be revoked there.'],
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
      hint: 'Use --remote or --server URL, or write a file with --file talk.html.',
    });
  }
  const expiresInMs = expires === undefined ? DEFAULT_SHARE_MS : readDuration(expires, '--expires');
  const body = { expires_in: Math.round(expiresInMs / SECOND_MS), note };
  return async (sharing) => {
    const { source, id } = sharing;
    tellLink(sharing, await source.send('POST /sessions/:id/shares', { params: { id }, body }));
  };
}

async function preview({ terminal, source, id, isJson }: Sharing): Promise<void> {
  const shown = await source.get('/sessions/:id/shares/preview', { params: { id } });
  if (isJson) return printJson(terminal, shown);
  say(terminal, shown.title);
  say(terminal, `Page size: ${formatBytes(shown.size_bytes)}. ${replacedIn(shown)}`);
  tellKinds(terminal, shown);
  say(terminal, 'Nothing was written or shared.');
}

async function toFile({ terminal, source, id, isJson }: Sharing, file: string): Promise<void> {
  const written = await writePage(await source.exportSession(id, { format: 'html', raw: false }), file);
  if (isJson) return printJson(terminal, written);
  const { path, size_bytes } = written;
  terminal.out(inColumns(terminal, `Written: ${visibleLine(path)} (${formatBytes(size_bytes)})\n`));
}

function tellLink({ terminal, source, isJson }: Sharing, { path, url: _, ...share }: NewShare): void {
  const url = new URL(path, source.pageAddress ?? undefined).href;
  if (isJson) return printJson(terminal, { ...share, url });
  terminal.out(`${url}\n`);
  const until = formatTime(share.expires_at);
  say(terminal, `Anyone with this link can read the page until ${until}. ${replacedIn(share)}`);
  tellKinds(terminal, share);
  say(terminal, `To revoke it: fuel-code shares --remote --revoke ${share.id}`);
}

type Redacted = Pick<SharePreview, 'redacted'>;

function replacedIn({ redacted }: Redacted): string {
  const count = Object.values(redacted).reduce((sum, each) => sum + each, 0);
  if (count === 0) return 'No secrets found.';
  return count === 1 ? '1 text is replaced:' : `${count} texts are replaced:`;
}

function tellKinds(terminal: Terminal, { redacted }: Redacted): void {
  for (const [kind, count] of Object.entries(redacted)) say(terminal, `${kind}: ${count}`);
}

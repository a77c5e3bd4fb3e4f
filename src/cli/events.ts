import type { StoredEvent } from '../api/activity.ts';
import { visibleLine } from '../lib/terminal-text.ts';
import { formatTime } from '../reading/format.ts';
import { shortId } from '../reading/names.ts';
import { type Command, limitOption, MAX_STREAMED_ROWS, NO_IMPORT_OPTION, REMOTE_OPTIONS } from './command.ts';
import { noteMore, printList, ROW_OPTIONS, readFormat, streamRows } from './output.ts';
import { readNumber } from './parse-arguments.ts';
import { readTimeRange, SESSION_OPTION, TIME_OPTIONS } from './session-filter.ts';
import { isEventData } from './session-lists.ts';
import { openSource, pagesOf } from './source.ts';
import type { Column } from './table.ts';

const DEFAULT_EVENTS = 30;
const MAX_EVENTS = 1_000;

export const command: Command = {
  name: 'events',
  about: 'List events from hooks and scripts, newest first.',
  options: {
    type: { type: 'string', value: 'TYPE', about: 'Only this type, for example session.end or deploy.' },
    scripts: { type: 'boolean', about: 'Only events that scripts have recorded (fuel-code emit).' },
    session: SESSION_OPTION,
    workspace: { type: 'string', short: 'w', value: 'NAME', about: 'Only this workspace: name, id or prefix.' },
    device: { type: 'string', value: 'NAME', about: 'Only this device: name, id or prefix.' },
    ...TIME_OPTIONS,
    limit: limitOption('events', DEFAULT_EVENTS, MAX_EVENTS, MAX_STREAMED_ROWS),
    cursor: { type: 'string', value: 'CURSOR', about: 'Continue after a previous page.' },
    'no-import': NO_IMPORT_OPTION,
    ...ROW_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    ['fuel-code events', 'The newest events.'],
    ['fuel-code events --scripts --since 7d', 'What scripts recorded in the last 7 days.'],
    ['fuel-code events --type deploy --ndjson --fields timestamp,data.env', 'For use in scripts.'],
    ['fuel-code events --session 3f2a91c0', 'Events of one session.'],
  ],
  run: async (context, args) => {
    const isStream = readFormat(args) === 'ndjson';
    const max = isStream ? MAX_STREAMED_ROWS : MAX_EVENTS;
    const rows = readNumber(args, 'limit', { min: 1, max, otherwise: DEFAULT_EVENTS });
    const filter = {
      ...readTimeRange(args, context.clock.now()),
      type: args.values.get('type'),
      session_id: args.values.get('session'),
      workspace_id: args.values.get('workspace'),
      device_id: args.values.get('device'),
      ...(args.flags.has('scripts') ? { emitted: true } : {}),
    };
    await using source = await openSource(context, args, 'rows');
    const pages = pagesOf(
      { rows, pageRows: MAX_EVENTS, cursor: args.values.get('cursor') },
      (limit, cursor) => source.get('/events', { query: { ...filter, limit, cursor } }),
      ({ events }) => events.length,
    );
    const { terminal } = context;
    if (isStream) {
      const last = await streamRows(terminal, args, pages, { rows: ({ events }) => events, mayLack: isEventData });
      return noteMore(terminal, args, last?.next_cursor ?? null, '-n N');
    }
    const { events, next_cursor } = (await pages.next()).value ?? { events: [], next_cursor: null };
    await printList(context, args, {
      name: 'events',
      page: { next_cursor },
      from: source,
      rows: events,
      columns: COLUMNS,
      csv: CSV_COLUMNS,
      empty: 'No events found.\n',
      mayLack: isEventData,
    });
    noteMore(terminal, args, next_cursor, '-n N');
  },
};

const CSV_COLUMNS = ['timestamp', 'type', 'session_id', 'workspace_id', 'device_id', 'id', 'data'] as const;

const COLUMNS: readonly Column<StoredEvent>[] = [
  { title: 'TIME', text: ({ timestamp }) => formatTime(timestamp), style: () => 'dim' },
  { title: 'TYPE', text: ({ type }) => type },
  {
    title: 'SESSION',
    fromColumns: 60,
    text: ({ session_id }) => (session_id === null ? '' : shortId(session_id)),
    style: () => 'cyan',
  },
  { title: 'DATA', grows: true, text: ({ data: { session_id: _, ...data } }) => visibleLine(JSON.stringify(data)) },
];

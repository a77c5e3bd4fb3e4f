import type { App } from '../../src/app/open-app.ts';
import { indexSessionTexts } from '../../src/pipeline/index-session.ts';
import { type ClaudeHome, createTalk, text, toolUse } from './claude-home.ts';

/** Seven small sessions that cover every part of the query language. The letter is the start of their ids. */
export const idOf = (letter: string) => `${letter.repeat(8)}-2222-4333-8444-555555555555`;
export const letterOf = (id: string) => id.slice(0, 1);

const USAGE = { input: 10, output: 100 };
const thinking = (words: string) => ({ type: 'thinking', thinking: words, signature: 's' });

function ferry() {
  const talk = createTalk(idOf('a'), { startedAt: '2026-11-10T10:00:00.000Z', prefix: 'a' });
  return [
    talk.user('The ferry timetable is off by one hour in winter. Please fix getUserName too.'),
    talk.assistant('msg_a1', thinking('Perhaps the zone of the harbour is wrong.'), USAGE),
    talk.assistant('msg_a2', toolUse('toolu_a1', 'Read', { file_path: '/home/ada/ferry/src/store/engine.ts' }), USAGE),
    talk.result('toolu_a1', '     1→export class SearchIndex {\n     2→  parse_line(text: string) {}\n     3→}'),
    talk.assistant('msg_a3', toolUse('toolu_a2', 'Bash', { command: 'npm test', description: 'Run the tests' }), USAGE),
    talk.result('toolu_a2', 'Exit code 1\ncp: permission denied: /var/lib/timetable.db', true),
    talk.assistant('msg_a4', text('The winter timetable is right now. It needs version 2.1.74 of the client.'), USAGE),
  ].map((line) => ({ ...line, cwd: '/home/ada/ferry', gitBranch: 'feature/winter-times' }));
}

function ledger() {
  const talk = createTalk(idOf('b'), { startedAt: '2026-11-05T10:00:00.000Z', prefix: 'b' });
  return [
    talk.user('Why does parseLine drop the last row? Look at src/store/engine.ts and ask for permission.'),
    talk.assistant('msg_b1', toolUse('toolu_b1', 'Bash', { command: 'cat ledger.csv | wc -l' }), USAGE),
    talk.result('toolu_b1', '42 rows, permission granted'),
    talk.assistant(
      'msg_b2',
      toolUse('toolu_b2', 'Edit', {
        file_path: '/home/ada/shop/ledger.ts',
        old_string: 'rows - 1',
        new_string: 'rows',
      }),
      USAGE,
    ),
    talk.result('toolu_b2', 'The file has been updated.'),
    talk.assistant(
      'msg_b3',
      text('The naïve loop in the Café module was wrong ✅. 日本語テスト passed as well.'),
      USAGE,
    ),
  ];
}

function names() {
  const talk = createTalk(idOf('c'), { startedAt: '2026-10-01T10:00:00.000Z', prefix: 'c' });
  return [
    { type: 'ai-title', aiTitle: 'Naming the ferry', sessionId: idOf('c') },
    talk.user('timetable timetable timetable'),
    talk.assistant(
      'msg_c1',
      text('The user name is required; see HTTPServer2Go and session_repo.test.ts for std::vector<int>.'),
      USAGE,
      'claude-sonnet-4-5-20250929',
    ),
    {
      ...talk.assistant('msg_c2', text('API Error: 529 overloaded_error'), USAGE, '<synthetic>'),
      isApiErrorMessage: true,
      error: 'overloaded',
      apiErrorStatus: 529,
    },
  ].map((line) => ({ ...line, cwd: '/home/ada/names' }));
}

/** Its sub-agent has a separate file. */
function explorer() {
  const talk = createTalk(idOf('g'), { startedAt: '2026-08-01T10:00:00.000Z', prefix: 'g' });
  const agent = createTalk(idOf('g'), { startedAt: '2026-08-01T10:00:10.000Z', prefix: '9' });
  const inAgent = (line: object) => ({ ...line, isSidechain: true, agentId: 'a1b2c3d4' });
  const task = { description: 'Look around', prompt: 'Find the lighthouse.', subagent_type: 'Explore' };
  return {
    main: [
      talk.user('Where is it?'),
      talk.assistant('msg_g1', toolUse('toolu_g1', 'Task', task), USAGE),
      {
        ...talk.result('toolu_g1', 'It stands on the cliff.'),
        toolUseResult: { status: 'completed', agentId: 'a1b2c3d4' },
      },
    ],
    agent: [
      inAgent(agent.user('Find the lighthouse.')),
      inAgent(agent.assistant('msg_g2', text('The lighthouse stands on the cliff.'), USAGE)),
    ],
  };
}

/** One word many times, a phrase across the border of two parts, a word at the very end. */
function longOutput() {
  const talk = createTalk(idOf('d'), { startedAt: '2026-09-01T10:00:00.000Z', prefix: 'd' });
  const row = 'zero zero zero one ';
  const head = row.repeat(Math.ceil(31_990 / row.length)).slice(0, 31_990);
  const output = `${head} across thewide border ${row.repeat(2_000)}lastword`;
  return [
    talk.user('Print a lot.'),
    talk.assistant('msg_d1', toolUse('toolu_d1', 'Bash', { command: 'seq 1 100000' }), USAGE),
    talk.result('toolu_d1', output),
    talk.assistant('msg_d2', text('That was a lot.'), USAGE),
  ];
}

function chat(letter: string, startedAt: string, lines: readonly string[]) {
  const talk = createTalk(idOf(letter), { startedAt, prefix: letter });
  return lines.map((words, at) =>
    at % 2 === 0 ? talk.user(words) : talk.assistant(`msg_${letter}${at}`, text(words), USAGE),
  );
}

export function writeSearchCorpus(home: ClaudeHome): void {
  const put = (folder: string, letter: string, lines: readonly object[]) =>
    home.write(`${folder}/${idOf(letter)}.jsonl`, lines);
  put('-home-ada-ferry', 'a', ferry());
  put('-home-ada-shop', 'b', ledger());
  put('-home-ada-names', 'c', names());
  put('-home-ada-shop', 'd', longOutput());
  const { main, agent } = explorer();
  put('-home-ada-shop', 'g', main);
  home.write(`-home-ada-shop/${idOf('g')}/subagents/agent-a1b2c3d4.jsonl`, agent);
  put(
    '-home-ada-shop',
    'e',
    chat('e', '2026-11-14T10:00:00.000Z', ['Is there a ferry today?', 'Yes, a ferry sails at noon.']),
  );
  put(
    '-home-ada-shop',
    'f',
    chat('f', '2026-11-14T10:00:00.000Z', ['Is there a ferry today?', 'Yes, a ferry sails at noon.']),
  );
}

/** Tags, notes and git activity of the sessions. */
export async function annotateSearchCorpus(app: App): Promise<void> {
  const { engine } = app.store;
  const db = engine.kysely;
  const now = '2026-11-15T12:00:00.000Z';
  const session_id = idOf('b');
  await db
    .insertInto('session_tags')
    .values([{ session_id, tag: 'Later', created_at: now }])
    .execute();
  await db
    .insertInto('session_notes')
    .values([
      { id: 'note-1', session_id, text: 'Show the harbour master this ledger.', created_at: now, updated_at: now },
    ])
    .execute();
  await db
    .insertInto('session_pins')
    .values([{ session_id: idOf('c'), pinned_at: now }])
    .execute();
  await db
    .updateTable('sessions')
    .set({ summary: 'Names and a timetable.', summary_kind: 'human' })
    .where('id', '=', idOf('c'))
    .execute();
  await db.updateTable('sessions').set({ lifecycle: 'capturing' }).where('id', '=', idOf('e')).execute();
  const { workspace_id, device_id } = await db
    .selectFrom('sessions')
    .select(['workspace_id', 'device_id'])
    .where('id', '=', idOf('a'))
    .executeTakeFirstOrThrow();
  const commit = { type: 'commit', branch: 'main', commit_sha: '9fceb02d0ae598e95dc970b74767f19372d61af8' };
  await db
    .insertInto('git_activity')
    .values([
      {
        id: 'g1',
        workspace_id,
        device_id,
        session_id: idOf('a'),
        relation: 'own',
        ...commit,
        message: 'fix: winter 100%',
        timestamp: now,
        created_at: now,
      },
    ])
    .execute();
  await indexSessionTexts(engine, ['b', 'c'].map(idOf));
}

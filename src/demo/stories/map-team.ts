import type { JsonObject } from '../../domain/transcript.ts';
import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import {
  ago,
  bash,
  type DemoFile,
  edit,
  HARBOUR,
  projectFolder,
  read,
  sessionId,
  transcriptFile,
  write,
} from '../story.ts';

const ID = sessionId('7d3ab95c');
const TEAM = `session-${ID.slice(0, 8)}`;
const BRANCH = 'feature/live-map';

interface Member {
  readonly name: string;
  readonly color: string;
  readonly hex: string;
  readonly description: string;
  readonly task: string;
}

const ADA: Member = {
  name: 'ada',
  color: 'blue',
  hex: '5d21f0c49b7e8a36',
  description: 'Positions API',
  task: 'Build `GET /positions`: the last known position of every ferry, at most 30 seconds old. Tell bo the shape of the answer as soon as it is settled. cleo reviews before you report to me.',
};
const BO: Member = {
  name: 'bo',
  color: 'green',
  hex: '83ce4a1170d9b25f',
  description: 'Map on the start page',
  task: 'Draw the ferries on the start page, with their course, and move them without reloading. ada builds the API and will tell you the shape of its answer.',
};
const CLEO: Member = {
  name: 'cleo',
  color: 'purple',
  hex: 'e09a64b7315c2d88',
  description: 'Review',
  task: 'Review what ada and bo build. Look for wrong units, missing tests and anything that a passenger would notice. Answer whoever asked you, not me.',
};

const agentId = ({ name, hex }: Member) => `a${name}-${hex}`;

const SHAPE = `{
  "ferry": "Norrvik",
  "at": "2026-11-12T09:14:05Z",
  "lat": 59.4371, "lon": 18.9027,
  "course": 214,
  "knots": 11.5
}`;

/** Three days ago: a team of three builds a live map; its members talk to each other and to the lead. */
export function mapTeam(now: Date): DemoFile[] {
  const startedAt = ago(now, 3, 4);
  const scene = {
    sessionId: ID,
    cwd: HARBOUR,
    gitBranch: BRANCH,
    version: VERSIONS.today,
    model: 'claude-opus-5-5',
    startedAt,
  };
  const lead = createScribe(scene);
  const calls = { ada: lead.id('toolu'), bo: lead.id('toolu'), cleo: lead.id('toolu') };
  const starts = startTeam(lead, calls);
  const open = (member: Member, after: number) =>
    createScribe({
      ...scene,
      model: 'claude-sonnet-5-5',
      agentId: agentId(member),
      startedAt: new Date(starts + after * 1_000),
    });
  const [ada, bo, cleo] = [open(ADA, 4), open(BO, 7), open(CLEO, 10)];
  buildPositions(ada);
  drawMap(bo);
  review(cleo);
  finish(lead);
  const folder = `${projectFolder(HARBOUR)}/${ID}`;
  return [
    transcriptFile(`${folder}.jsonl`, lead),
    ...memberFiles(folder, ADA, ada, calls.ada),
    ...memberFiles(folder, BO, bo, calls.bo),
    ...memberFiles(folder, CLEO, cleo, calls.cleo),
  ];
}

function memberFiles(folder: string, member: Member, scribe: Scribe, toolUseId: string): DemoFile[] {
  const path = `${folder}/subagents/agent-${agentId(member)}`;
  const { name, description } = member;
  const meta = { agentType: name, description, toolUseId, name, teamName: TEAM, taskKind: 'in_process_teammate' };
  return [
    transcriptFile(`${path}.jsonl`, scribe),
    { path: `${path}.meta.json`, text: JSON.stringify(meta), modifiedAt: new Date(scribe.now()) },
  ];
}

/** Gives the time at which the first member starts. */
function startTeam(lead: Scribe, calls: Readonly<Record<'ada' | 'bo' | 'cleo', string>>): number {
  lead.prompt(
    'The start page should show where every ferry is right now. Make it a team: one for the API, one for the map, and somebody who reviews both.',
  );
  lead.call({
    name: 'TaskCreate',
    input: { subject: 'Positions API', description: 'GET /positions, at most 30 seconds old' },
    output: 'Task #1 created successfully: Positions API',
    structured: { task: { id: '1', subject: 'Positions API' } },
    say: 'Two people can build this at the same time if they agree on one answer. I will start three teammates and stay out of their way.',
  });
  const starts = Date.parse(lead.now());
  for (const [member, id] of [
    [ADA, calls.ada],
    [BO, calls.bo],
    [CLEO, calls.cleo],
  ] as const)
    startMember(lead, member, id);
  lead.answer({ text: 'ada builds the API, bo the map, cleo reviews. I report when all three are done.', seconds: 2 });
  return starts;
}

function startMember(lead: Scribe, member: Member, id: string): void {
  const { name, color, description, task } = member;
  lead.call({
    id,
    name: 'Agent',
    input: { name, description, prompt: task, subagent_type: 'general-purpose' },
    output: `Spawned successfully.\nagent_id: ${agentId(member)}\nname: ${name}\nteam_name: ${TEAM}\nThe agent is now running and will receive instructions via mailbox.`,
    structured: {
      status: 'teammate_spawned',
      prompt: task,
      teammate_id: `${name}@${TEAM}`,
      agent_id: agentId(member),
      agentId: agentId(member),
      agent_type: 'general-purpose',
      name,
      color,
      team_name: TEAM,
    },
  });
}

interface Letter {
  readonly from: string;
  readonly summary: string;
  readonly text: string;
  readonly color?: string;
}

const FROM_TEAMMATE: JsonObject = { origin: { kind: 'teammate' }, promptSource: 'system' };

function receive(scribe: Scribe, { from, summary, text, color }: Letter): void {
  const colored = color === undefined ? '' : ` color="${color}"`;
  scribe.prompt(
    `<teammate-message teammate_id="${from}"${colored} summary="${summary}">\n${text}\n</teammate-message>`,
    FROM_TEAMMATE,
  );
}

function send(scribe: Scribe, to: string, summary: string, message: string): void {
  scribe.call({
    name: 'SendMessage',
    input: { to, summary, message },
    output: `{"success":true,"message":"Message sent to ${to}'s inbox"}`,
    structured: { success: true, message: `Message sent to ${to}'s inbox` },
  });
}

const ASK_SHAPE = 'Which unit is the speed in, and is the course where the bow points or where the ferry moves?';
const ANSWER_SHAPE = `Knots, and the course over ground, so it is right in a current too. This is one ferry:\n\n\`\`\`json\n${SHAPE}\n\`\`\``;
const REVIEW_ADA =
  'One thing: a ferry in the yard has no position, and then the whole answer is a 500. Leave it out and add a test. The rest is good.';
const REVIEW_BO = 'The arrow turns the long way round from 350° to 10°. Everything else: approved.';

function buildPositions(ada: Scribe): void {
  receive(ada, { from: 'team-lead', summary: ADA.description, text: ADA.task });
  ada.call(
    read({
      path: `${HARBOUR}/src/ais/receiver.ts`,
      content: `export interface Report {\n  readonly mmsi: number;\n  readonly lat: number;\n  readonly lon: number;\n  /** Over ground, tenths of a degree. */\n  readonly cog: number;\n  /** Tenths of a knot. */\n  readonly sog: number;\n  readonly at: Date;\n}`,
      say: 'The receiver already hears every ferry; only the last report of each has to be kept.',
    }),
  );
  ada.call(
    write({
      path: `${HARBOUR}/src/api/positions.ts`,
      content: `const MAX_AGE_MS = 30_000;\n\nexport function positions(reports: ReadonlyMap<number, Report>, now: Date): Position[] {\n  return [...ferries].map(({ mmsi, name }) => {\n    const report = reports.get(mmsi) as Report;\n    return { ferry: name, at: report.at, lat: report.lat, lon: report.lon, course: report.cog / 10, knots: report.sog / 10 };\n  });\n}`,
    }),
  );
  ada.wait(40);
  receive(ada, { from: 'bo', color: BO.color, summary: 'Units of the answer', text: ASK_SHAPE });
  send(ada, 'bo', 'Shape of the answer', ANSWER_SHAPE);
  send(ada, 'cleo', 'Please review the API', 'src/api/positions.ts is ready for you; 6 tests pass.');
  ada.answer({ text: 'The API is built, bo has the shape of its answer and cleo has the review.' });
  ada.wait(50);
  receive(ada, { from: 'cleo', color: CLEO.color, summary: 'Ferries without a position', text: REVIEW_ADA });
  ada.call(
    edit({
      path: `${HARBOUR}/src/api/positions.ts`,
      before: '    const report = reports.get(mmsi) as Report;',
      after:
        '    const report = reports.get(mmsi);\n    if (report === undefined || isOlder(report, MAX_AGE_MS, now)) return [];',
      say: 'She is right, and the same line drops reports that are too old.',
    }),
  );
  ada.call(
    bash({
      command: 'npm test -- src/api/positions.test.ts',
      about: 'Run the tests of the API',
      output: ' ✓ src/api/positions.test.ts (8 tests) 6ms\n\n Tests  8 passed (8)',
      seconds: 3,
    }),
  );
  send(ada, 'team-lead', 'Positions API done', '`GET /positions` is done and reviewed by cleo; 8 tests pass.');
  ada.answer({ text: 'Done: ferries without a fresh position are left out.' });
}

function drawMap(bo: Scribe): void {
  receive(bo, { from: 'team-lead', summary: BO.description, text: BO.task });
  bo.call(
    read({
      path: `${HARBOUR}/src/page/start.ts`,
      content: `export function startPage(timetable: Timetable): Html {\n  return page('Harbour Ferry', [header(), timetableView(timetable), footer()]);\n}`,
    }),
  );
  send(bo, 'ada', 'Units of the answer', ASK_SHAPE);
  bo.answer({ text: 'I draw the islands while ada answers.', seconds: 3 });
  bo.wait(48);
  receive(bo, { from: 'ada', color: ADA.color, summary: 'Shape of the answer', text: ANSWER_SHAPE });
  bo.call(
    write({
      path: `${HARBOUR}/src/page/map.ts`,
      content: `export function moveFerry(arrow: SVGElement, { lat, lon, course }: Position): void {\n  const { x, y } = project(lat, lon);\n  arrow.style.transform = \`translate(\${x}px, \${y}px) rotate(\${course}deg)\`;\n}`,
      say: 'Knots and course over ground: then the arrow shows where the ferry goes, not where it looks.',
    }),
  );
  send(bo, 'cleo', 'Please review the map', 'src/page/map.ts is ready for you.');
  bo.answer({ text: 'The map moves; cleo has the review.' });
  bo.wait(64);
  receive(bo, { from: 'cleo', color: CLEO.color, summary: 'The long way round', text: REVIEW_BO });
  bo.call(
    edit({
      path: `${HARBOUR}/src/page/map.ts`,
      before: 'rotate(${course}deg)',
      after: 'rotate(${nearestTurn(lastCourse, course)}deg)',
    }),
  );
  send(bo, 'team-lead', 'Map done', 'The map is done and reviewed by cleo. Arrows turn the short way.');
  bo.answer({ text: 'Done: the start page shows every ferry and moves it every ten seconds.' });
}

function review(cleo: Scribe): void {
  receive(cleo, { from: 'team-lead', summary: CLEO.description, text: CLEO.task });
  cleo.answer({ text: 'I wait for the first of them.', seconds: 3 });
  cleo.wait(62);
  receive(cleo, {
    from: 'ada',
    color: ADA.color,
    summary: 'Please review the API',
    text: 'src/api/positions.ts is ready for you; 6 tests pass.',
  });
  cleo.call(
    bash({
      command: 'npm test -- src/api && curl -s localhost:8080/positions',
      about: 'Run the tests and ask for positions',
      output: ' Tests  6 passed (6)\ncurl: (22) The requested URL returned error: 500',
      exitCode: 22,
      seconds: 4,
      say: 'The tests pass, so I ask the API itself.',
    }),
  );
  send(cleo, 'ada', 'Ferries without a position', REVIEW_ADA);
  cleo.answer({ text: 'ada knows. The map is next.' });
  cleo.wait(22);
  receive(cleo, {
    from: 'bo',
    color: BO.color,
    summary: 'Please review the map',
    text: 'src/page/map.ts is ready for you.',
  });
  cleo.call(
    read({
      path: `${HARBOUR}/src/page/map.ts`,
      content: `export function moveFerry(arrow: SVGElement, { lat, lon, course }: Position): void {\n  const { x, y } = project(lat, lon);\n  arrow.style.transform = \`translate(\${x}px, \${y}px) rotate(\${course}deg)\`;\n}`,
    }),
  );
  send(cleo, 'bo', 'The long way round', REVIEW_BO);
  cleo.answer({ text: 'Both reviews are answered.' });
}

function finish(lead: Scribe): void {
  lead.wait(185);
  receive(lead, {
    from: 'ada',
    color: ADA.color,
    summary: 'Positions API done',
    text: '`GET /positions` is done and reviewed by cleo; 8 tests pass.',
  });
  lead.answer({ text: 'The API is in. Waiting for the map.', seconds: 3 });
  lead.wait(35);
  receive(lead, {
    from: 'bo',
    color: BO.color,
    summary: 'Map done',
    text: 'The map is done and reviewed by cleo. Arrows turn the short way.',
  });
  lead.call(
    bash({
      command: 'npm test && git add -A && git commit -m "feat: ferries move on the start page"',
      about: 'Run all tests and commit',
      output: ` Tests  31 passed (31)\n[${BRANCH} 9be04d1] feat: ferries move on the start page\n 5 files changed, 184 insertions(+), 3 deletions(-)`,
      seconds: 12,
    }),
  );
  lead.answer({
    text: `The start page shows every ferry and moves it every ten seconds; committed as \`9be04d1\`.

- **ada** built \`GET /positions\`. Ferries in the yard are left out.
- **bo** drew the map. Arrows follow the course over ground.
- **cleo** found two mistakes before any passenger did: a missing position that broke the whole answer, and arrows that turned the long way round.`,
  });
  lead.loose({ type: 'ai-title', aiTitle: 'A live map, built by a team' });
  lead.loose({ type: 'last-prompt', lastPrompt: 'Make it a team', leafUuid: lead.mark() });
}

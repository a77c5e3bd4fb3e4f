import { VERSIONS } from '../client-version.ts';
import { createScribe, type Scribe } from '../scribe.ts';
import { ago, bash, type DemoFile, HARBOUR, projectFolder, read, sessionId, transcriptFile } from '../story.ts';

const AGENT_ID = 'a7c04d19be52f3608';

const REPORT = `Tide data is cached in two places:

- \`src/tides/client.ts\` keeps the last answer for 10 minutes in memory.
- \`src/tides/store.ts\` writes one JSON file a day below \`var/tides/\` and never deletes any: 1,204 files, 310 MB.

The in-memory cache is keyed by harbour only, so a request for tomorrow can be answered with today's tide.`;

/** Yesterday: a sub-agent looks around, the main conversation decides. */
export function tideCache(now: Date): DemoFile[] {
  const id = sessionId('c2f3d8e0');
  const startedAt = ago(now, 1, 3);
  const scene = {
    sessionId: id,
    cwd: HARBOUR,
    gitBranch: 'main',
    version: VERSIONS.today,
    model: 'claude-opus-5-5',
    startedAt,
  };
  const main = createScribe(scene);
  const callId = main.id('toolu');
  ask(main, callId);
  const agent = createScribe({
    ...scene,
    model: 'claude-haiku-5-5',
    startedAt: new Date(startedAt.getTime() + 20_000),
    agentId: AGENT_ID,
  });
  explore(agent);
  conclude(main);
  const folder = `${projectFolder(HARBOUR)}/${id}`;
  const meta = {
    agentType: 'Explore',
    isBuiltIn: true,
    description: 'Find the tide caches',
    toolUseId: callId,
    spawnDepth: 1,
  };
  return [
    transcriptFile(`${folder}.jsonl`, main),
    transcriptFile(`${folder}/subagents/agent-${AGENT_ID}.jsonl`, agent),
    {
      path: `${folder}/subagents/agent-${AGENT_ID}.meta.json`,
      text: JSON.stringify(meta),
      modifiedAt: new Date(agent.now()),
    },
  ];
}

const TASK =
  'Find every place where tide data is cached or written to disk. Report file, lifetime and key of each cache. Do not change anything.';

function ask(main: Scribe, callId: string): void {
  main.prompt('Where do we cache tide data, and is any of it wrong? Have somebody look through the code first.');
  main.call({
    id: callId,
    name: 'Agent',
    input: { description: 'Find the tide caches', subagent_type: 'Explore', prompt: TASK, run_in_background: false },
    output: `${REPORT}\nagentId: ${AGENT_ID} (use SendMessage with to: '${AGENT_ID}' to continue this agent)\n<usage>subagent_tokens: 18240\ntool_uses: 3\nduration_ms: 41200</usage>`,
    structured: {
      status: 'completed',
      prompt: TASK,
      agentId: AGENT_ID,
      agentType: 'Explore',
      content: [{ type: 'text', text: REPORT }],
      totalDurationMs: 41_200,
      totalTokens: 18_240,
      totalToolUseCount: 3,
    },
    say: 'I will send a scout through `src/tides` and everything that imports it.',
    seconds: 42,
  });
}

function explore(agent: Scribe): void {
  agent.prompt(TASK);
  agent.call(
    bash({
      command: 'find src var -path "*tide*" | head -20; du -sh var/tides; ls var/tides | wc -l',
      about: 'List everything about tides',
      output: 'src/tides/client.ts\nsrc/tides/store.ts\nsrc/tides/client.test.ts\nvar/tides\n310M\tvar/tides\n1204',
      say: 'First an overview.',
    }),
  );
  agent.call(
    read({
      path: `${HARBOUR}/src/tides/client.ts`,
      content: `const memory = new Map<string, Cached>();

export async function tideAt(harbour: string, day: Date): Promise<Tide> {
  const cached = memory.get(harbour);
  if (cached !== undefined && cached.until > Date.now()) return cached.tide;
  const tide = await fetchTide(harbour, day);
  memory.set(harbour, { tide, until: Date.now() + 600_000 });
  return tide;
}`,
    }),
  );
  agent.call(
    bash({
      command: 'grep -rn "writeFile" src/tides/store.ts',
      about: 'Find what is written',
      output: 'src/tides/store.ts:31:  await writeFile(join(folder, `${isoDay(day)}.json`), JSON.stringify(tide));',
    }),
  );
  agent.answer({ text: REPORT, seconds: 9 });
}

function conclude(main: Scribe): void {
  main.answer({
    text: `There are two caches, and one of them is wrong.

| cache | lifetime | key | verdict |
|---|---|---|---|
| \`src/tides/client.ts\` | 10 minutes | harbour | **wrong**: the day is missing from the key |
| \`src/tides/store.ts\` | for ever | day | right, but 310 MB and growing |

I suggest to add the day to the key first (one line and a test), then to keep 30 days on disk. Shall I?`,
    think:
      'The report is precise. The key without the day explains the complaint from Tuesday. Propose the small fix before the cleanup.',
  });
  main.loose({ type: 'ai-title', aiTitle: 'Where tide data is cached' });
  main.loose({
    type: 'last-prompt',
    lastPrompt: 'Where do we cache tide data, and is any of it wrong?',
    leafUuid: main.mark(),
  });
}

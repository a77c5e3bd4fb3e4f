import { DOCUMENTED_SECRETS } from '../../src/redact/testing/documented-secrets.ts';
import { createRandom } from '../../src/redact/testing/random.ts';
import { CANARIES, chars, PEM } from '../../src/redact/testing/secrets.ts';
import { type ClaudeHome, createTalk, text, toolUse } from './claude-home.ts';

export const LEAKY = '11111111-2222-4333-8444-555555555555';
export const CLEAN = '33333333-2222-4333-8444-555555555555';

/** A different secret for each place, so that a missed place can be identified. */
export const tokenFor = (place: string) => `ghp_${`${place}${chars(36)}`.slice(0, 36)}`;
export const PLACES =
  'prompt input answer thinking result agent meta saved index task todo plan history note title summary event commit branch file patch view skill'.split(
    ' ',
  );

/** Secrets of every class, each in a separate text, as a tool prints it. */
const SECOND = Object.values(DOCUMENTED_SECRETS)
  .flatMap((plant) => plant(createRandom(2)))
  .filter(({ text: output, secrets }) => secrets.every((secret) => output.includes(secret)));
export const OUTPUTS: readonly string[] = [
  ...CANARIES.map(({ text: output }) => output),
  ...SECOND.map(({ text: output }) => output),
];

/** Shorter ones appear in other texts by chance. */
const MIN_CHARS = 8;

/** Text that must be gone afterwards, in lower case: each secret, and each line of a key. */
export const PLANTED: readonly string[] = [
  ...PLACES.map(tokenFor),
  ...CANARIES.map(({ secret }) => secret),
  ...SECOND.flatMap(({ secrets }) => secrets),
]
  .flatMap((secret) => secret.split('\n'))
  .filter((secret) => secret.length >= MIN_CHARS && !secret.startsWith('-----'))
  .map((secret) => secret.toLowerCase());

/** A session with secrets in each of its files, and a session without any. */
export function fillWithSecrets(home: ClaudeHome, cwd: string, outputs: readonly string[] = [PEM]): void {
  const talk = createTalk(LEAKY);
  const usage = { input: 10, output: 20 };
  const lines = [
    { ...talk.user(`${tokenFor('prompt')} is my token`), slug: 'brave-plan' },
    talk.assistant('msg_1', toolUse('toolu_1', 'Bash', { command: `curl ${tokenFor('input')}`, env: {} }), usage),
    talk.result('toolu_1', tokenFor('result')),
    talk.assistant('msg_2', text(`It is ${tokenFor('answer')}`), usage),
    talk.assistant('msg_3', { type: 'thinking', thinking: tokenFor('thinking'), signature: 'Sig0'.repeat(20) }, usage),
    talk.assistant(
      'msg_4',
      toolUse('toolu_4', 'Write', { file_path: `/srv/${tokenFor('file')}.txt`, content: 'x' }),
      usage,
    ),
    {
      ...talk.result('toolu_4', 'done'),
      toolUseResult: {
        type: 'update',
        filePath: '/srv/a',
        structuredPatch: [
          { oldStart: 1, oldLines: 1, newStart: 1, newLines: 4, lines: PEM.split('\n').map((line) => `+${line}`) },
          { oldStart: 9, oldLines: 1, newStart: 9, newLines: 1, lines: ['-a', `+${tokenFor('patch')}`] },
        ],
      },
    },
    talk.assistant('msg_5', toolUse('toolu_5', 'Bash', { command: 'cat big' }), usage),
    talk.result('toolu_5', savedOutput('toolu_5.txt')),
    talk.assistant('msg_6', toolUse('toolu_6', 'Skill', { skill: 'deploy', args: tokenFor('skill') }), usage),
    talk.result('toolu_6', 'done'),
    ...outputs.flatMap((output, n) => [
      talk.assistant(`msg_o${n}`, toolUse(`toolu_o${n}`, 'Bash', { command: 'make' }), usage),
      talk.result(`toolu_o${n}`, output),
    ]),
  ];
  home.write(
    `-home-ada-shop/${LEAKY}.jsonl`,
    lines.map((line) => ({ ...line, cwd, gitBranch: `try/${tokenFor('branch')}` })),
  );
  const agent = createTalk(LEAKY, { prefix: 'a' });
  home.write(`-home-ada-shop/${LEAKY}/subagents/agent-a1.jsonl`, [{ ...agent.user(tokenFor('agent')), agentId: 'a1' }]);
  home.write(
    `-home-ada-shop/${LEAKY}/subagents/agent-a1.meta.json`,
    JSON.stringify({ agentType: 'Explore', description: `Use ${tokenFor('meta')}` }),
  );
  home.write(`-home-ada-shop/${LEAKY}/tool-results/toolu_5.txt`, `begin ${tokenFor('saved')} end`);
  home.write(`-home-ada-shop/sessions-index.json`, indexOf(LEAKY, `Name ${tokenFor('index')}`));
  home.write(`../tasks/${LEAKY}/1.json`, JSON.stringify({ id: '1', subject: tokenFor('task') }));
  home.write(
    `../todos/${LEAKY}-agent-${LEAKY}.json`,
    JSON.stringify([{ content: tokenFor('todo'), status: 'pending' }]),
  );
  home.write('../plans/brave-plan.md', `# Plan\n\nUse ${tokenFor('plan')}\n`);
  home.write('../history.jsonl', [
    { display: 'Kept line', project: cwd, sessionId: CLEAN, timestamp: 1 },
    { display: tokenFor('history'), project: cwd, sessionId: LEAKY, timestamp: 2 },
  ]);
  const clean = createTalk(CLEAN, { prefix: 'o' });
  home.write(`-home-ada-shop/${CLEAN}.jsonl`, [
    clean.user('Something else'),
    clean.assistant('msg_c', text('Stays as it is.'), { input: 5, output: 6 }),
  ]);
}

function savedOutput(name: string): string {
  return `<persisted-output>\nOutput too large (60KB). Full output saved to: /home/ada/.claude/projects/-home-ada-shop/${LEAKY}/tool-results/${name}\n\nPreview (first 2KB):\nbegin\n...\n</persisted-output>`;
}

function indexOf(sessionId: string, summary: string): string {
  return JSON.stringify({ version: 1, entries: [{ sessionId, firstPrompt: summary, summary }] });
}

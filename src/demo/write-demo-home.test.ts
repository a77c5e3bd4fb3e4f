import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../test/browser/support/temp-folder.ts';
import type { ContentBlock, ParsedSession, TranscriptSource } from '../domain/transcript.ts';
import { parseSession } from '../transcript/parser.ts';
import { priceUsage } from '../transcript/price/price-usage.ts';
import { TASKS } from './stories/everyday-tasks.ts';
import { writeDemoHome } from './write-demo-home.ts';

const NOW = new Date('2026-11-15T12:00:00.000Z');
let home: string;

beforeAll(async () => {
  home = makeTempFolder('demo');
  await writeDemoHome(home, NOW);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function mainFiles(): string[] {
  return filesBelow(home).filter((path) => /projects\/[^/]+\/[^/]+\.jsonl$/.test(path));
}

interface Parsed {
  readonly session: ParsedSession;
  readonly blocks: readonly ContentBlock[];
}

async function parse(path: string): Promise<Parsed> {
  const folder = path.replace(/\.jsonl$/, '');
  const agents = filesBelow(home).filter((file) => file.startsWith(`${folder}/`) && file.endsWith('.jsonl'));
  const source = (file: string, agentId: string | null): TranscriptSource => ({
    role: agentId === null ? 'main' : 'agent',
    agentId,
    name: file,
    bytes: createReadStream(file),
  });
  const blocks: ContentBlock[] = [];
  const id = folder.slice(folder.lastIndexOf('/') + 1);
  const sources = [
    source(path, null),
    ...agents.map((file) => source(file, /agent-([\w-]+)\.jsonl$/.exec(file)?.[1] ?? '')),
  ];
  const session = await parseSession(id, sources, { block: (block) => void blocks.push(block) }, { price: priceUsage });
  return { session, blocks };
}

describe('the demo home', () => {
  test('has nine long and many short sessions in four projects, one with a sub-agent, one with a team, private to its owner', () => {
    expect(mainFiles()).toHaveLength(9 + TASKS.length);
    expect(readdirSync(join(home, 'projects'))).toEqual([
      '-home-mira-projects-harbour-ferry',
      '-home-mira-projects-hoshi-zu',
      '-home-mira-projects-lighthouse',
      '-home-mira-projects-tea-ledger',
    ]);
    const agentFiles = filesBelow(home).filter((path) => path.includes('/subagents/'));
    expect(agentFiles.map((path) => path.replace(/.*\//, ''))).toEqual([
      'agent-aada-5d21f0c49b7e8a36.jsonl',
      'agent-aada-5d21f0c49b7e8a36.meta.json',
      'agent-abo-83ce4a1170d9b25f.jsonl',
      'agent-abo-83ce4a1170d9b25f.meta.json',
      'agent-acleo-e09a64b7315c2d88.jsonl',
      'agent-acleo-e09a64b7315c2d88.meta.json',
      'agent-a7c04d19be52f3608.jsonl',
      'agent-a7c04d19be52f3608.meta.json',
    ]);
    for (const path of filesBelow(home)) expect(statSync(path).mode & 0o077).toBe(0);
  });

  test('is the same for the same date', async () => {
    const again = makeTempFolder('demo');
    await writeDemoHome(again, NOW);
    const digest = (root: string) =>
      filesBelow(root).map((path) => [
        path.slice(root.length),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]);
    expect(digest(again)).toEqual(digest(home));
  });

  test('looks recent: every session ends before now, the newest within minutes', () => {
    const ends = mainFiles().map((path) => NOW.getTime() - statSync(path).mtimeMs);
    expect(Math.min(...ends)).toBeGreaterThan(0);
    expect(Math.min(...ends)).toBeLessThan(5 * 60_000);
    expect(Math.max(...ends)).toBeLessThan(45 * 24 * 3_600_000);
  });

  test('is valid: our own parser finds nothing unusual except the incomplete line', async () => {
    const odd: Record<string, number> = {};
    for (const path of mainFiles()) {
      const { session } = await parse(path);
      for (const [kind, count] of session.anomalies) odd[kind] = (odd[kind] ?? 0) + count;
      expect(session.stats.costNanos).toBeGreaterThan(0);
      expect(session.stats.unknownModels).toEqual([]);
      expect(session.lines.skipped).toBe(0);
    }
    expect(odd).toEqual({ spliced_line: 1 });
  });

  test('shows every phenomenon once', async () => {
    const all = await Promise.all(mainFiles().map(parse));
    const messages = all.flatMap(({ session }) => session.messages);
    const blocks = all.flatMap((each) => each.blocks);
    const origins = new Set(messages.map((message) => message.origin));
    for (const origin of [
      'human',
      'queued',
      'model',
      'synthetic',
      'tool_result',
      'command',
      'bash_input',
      'compact_summary',
      'interruption',
      'agent_prompt',
      'teammate',
    ]) {
      expect([...origins]).toContain(origin);
    }
    expect(messages.filter((message) => message.subtype === 'compact_boundary')).toHaveLength(1);
    expect(messages.filter((message) => message.subtype === 'api_error')).toHaveLength(3);
    expect(
      blocks.filter((block) => block.blockType === 'thinking' && block.thinkingText === '').length,
    ).toBeGreaterThan(1);
    expect(blocks.filter((block) => block.isError === true).length).toBeGreaterThan(3);
    expect(blocks.some((block) => /[ぁ-ん]/.test(block.contentText ?? ''))).toBe(true);
    expect(new Set(all.flatMap(({ session }) => session.facts.versions))).toEqual(
      new Set(['2.0.37', '2.1.80', '2.1.236', '2.1.326']),
    );
  });
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeHome, createTalk, text, toolUse } from '../support/claude-home.ts';
import { PROGRAMS } from '../support/programs.ts';

const ID = '11111111-2222-4333-8444-555555555555';

/** A server that should never be called, at an address that a transcript contains. */
async function listenForCalls() {
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

function transcript(url: string, cwd: string): object[] {
  const talk = createTalk(ID);
  const usage = { input: 1, output: 1 };
  const image = { type: 'image', source: { type: 'url', url: `${url}/image.png` } };
  const lines = [
    talk.user(`Look at ${url}/prompt and ![it](${url}/pixel.png) <img src="${url}/tag.png">`),
    talk.assistant('msg_1', toolUse('toolu_1', 'WebFetch', { url: `${url}/fetch`, prompt: 'read it' }), usage),
    { ...talk.result('toolu_1', `${url}/result`), toolUseResult: { url, persistedOutputPath: `${url}/output` } },
    talk.assistant('msg_2', image, usage),
    talk.assistant('msg_3', text(`Done: ${url}/answer`), usage),
    {
      type: 'pr-link',
      sessionId: ID,
      prNumber: 1,
      prUrl: `${url}/pull/1`,
      prRepository: 'a/b',
      timestamp: '2026-11-10',
    },
  ];
  return lines.map((line) => ({ ...line, cwd, gitBranch: url }));
}

describe.each(PROGRAMS)('H21: addresses in a transcript, on $name', ({ create }) => {
  it('are never requested, whatever is done with the transcript', async () => {
    await using listener = await listenForCalls();
    const repository = mkdtempSync(join(tmpdir(), 'fuel-code-repository-'));
    execFileSync('git', ['init', '--quiet', repository]);
    execFileSync('git', ['-C', repository, 'remote', 'add', 'origin', `${listener.url}/shop.git`]);
    using home = createClaudeHome();
    home.write(`-shop/${ID}.jsonl`, transcript(listener.url, repository));
    await using program = await create(home.path);
    await using app = await program.open();
    await app.importNew();
    const { total_messages } = await app.get('/sessions/:id', { params: { id: ID } });
    expect(total_messages).toBeGreaterThan(4);
    await app.get('/sessions/:id/transcript', { params: { id: ID }, query: { limit: 50 } });
    await app.get('/sessions/:id/usage', { params: { id: ID } });
    expect((await app.get('/search', { query: { q: 'answer', limit: 20 } })).total.places).toBeGreaterThan(0);
    expect(listener.calls()).toBe(0);
    await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
    expect(listener.calls(), 'a call would have been noticed').toBe(1);
    rmSync(repository, { recursive: true });
  });
});

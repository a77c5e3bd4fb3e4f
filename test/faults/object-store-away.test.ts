import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClaudeHome, createTalk, text } from '../support/claude-home.ts';
import { type Run, runProgram } from '../support/run-program.ts';
import { createTestBucket } from '../support/test-bucket.ts';

const KNOWN = '11111111-2222-4333-8444-555555555555';
const NEW = '11111111-2222-4333-8444-666666666666';

/** The notes of a run without line breaks. */
const unwrapped = ({ stderr }: Run) => stderr.replaceAll('\n', ' ');

it('G1: without the object store, stored sessions are shown with a note, and costs are read from the transcripts', async () => {
  using claude = createClaudeHome();
  claude.write(`-w/${KNOWN}.jsonl`, [createTalk(KNOWN).user('Sort the pears.')]);
  const bucket = await createTestBucket();
  const home = mkdtempSync(join(tmpdir(), 'fuel-code-away-'));
  const env = {
    FUEL_CODE_HOME: home,
    CLAUDE_CONFIG_DIR: claude.path,
    S3_BUCKET: bucket.bucket,
    S3_ENDPOINT: bucket.endpoint,
    S3_REGION: bucket.region,
    S3_ACCESS_KEY_ID: bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  };
  try {
    expect(await runProgram(['backfill'], { env })).toMatchObject({ code: 0 });
    await bucket.drop();
    const talk = createTalk(NEW);
    const lines = [talk.user('Sort the plums.'), talk.assistant('msg_new', text('Sorted.'), { input: 3, output: 5 })];
    claude.write(`-w/${NEW}.jsonl`, lines);
    const away = `the bucket ${bucket.bucket} does not exist.`;
    for (const words of [['sessions'], ['stats'], ['search', 'pears']]) {
      const shown = await runProgram(words, { env });
      expect(shown, words.join(' ')).toMatchObject({ code: 0 });
      expect(unwrapped(shown)).toContain(`${away} Showing stored data; nothing new is imported.`);
    }
    const cost = await runProgram(['cost', '--by', 'session', '--json'], { env });
    expect(unwrapped(cost)).toContain(`${away} Nothing new is imported.`);
    expect(JSON.parse(cost.stdout)).toMatchObject({ source: 'transcripts', rows: [{ key: NEW }] });
    // Nothing is stored yet, so an empty answer would look complete.
    const fresh = mkdtempSync(join(tmpdir(), 'fuel-code-away-'));
    expect(await runProgram(['sessions'], { env: { ...env, FUEL_CODE_HOME: fresh } })).toMatchObject({ code: 7 });
    rmSync(fresh, { recursive: true });
  } finally {
    rmSync(home, { recursive: true });
  }
});

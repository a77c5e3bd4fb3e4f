import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import type { SessionDetail } from '../../src/domain/query.ts';
import { createLab, captured } from './lab.ts';
import { say } from './model.ts';
it('probe', async () => {
  await using lab = await createLab([['hello', [say('hi')]]]);
  const run = await lab.print('hello');
  await captured(lab, run.sessionId);
  const t0 = Date.now();
  for (let i = 0; i < 32; i++) {
    await new Promise((r) => setTimeout(r, 5000));
    const d = await lab.ask<SessionDetail>('session', run.sessionId, '--no-import');
    const alive = existsSync(join(lab.dataHome, 'worker.pid'));
    console.log('RESULT', Math.round((Date.now() - t0) / 1000), d.files.map((f) => f.sha256?.slice(0, 6)), d.lifecycle, alive ? 'worker' : 'no worker');
    if (!alive) break;
  }
}, 300_000);

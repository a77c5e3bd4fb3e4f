import { readFileSync, existsSync, writeFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { createLab, VERSIONS } from './lab.ts';
import { say, tool } from './model.ts';
it.each(VERSIONS)('probe %s', async (version) => {
  if (version !== '2.1.325') for (const drop of [[], ['StopFailure', 'PostCompact']]) {
    await using lab = await createLab([['hello', [[tool('Bash', { command: 'echo ran-anyway', description: 'x' })], say('hi')]]], { version });
    const path = join(lab.claudeHome, 'settings.json');
    const s = JSON.parse(readFileSync(path, 'utf8'));
    for (const k of drop) delete s.hooks[k];
    s.permissions = { deny: ['Bash(echo:*)'] };
    writeFileSync(path, JSON.stringify(s));
    const run = await lab.print('hello');
    console.log('RESULT', version, 'without', drop.join('+') || '-', run.code, lab.model.requests.flatMap((r) => r.toolResults));
  }
  if (version === '2.1.325') {
    await using lab = await createLab([['hello', [[tool('Bash', { command: 'env | grep -c DATABASE_URL', description: 'x' })], say('hi')]]], { version });
    mkdirSync(join(lab.project, '.claude'));
    writeFileSync(join(lab.project, '.claude/settings.json'), JSON.stringify({ env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } }));
    const run = await lab.print('hello');
    await new Promise((r) => setTimeout(r, 3000));
    const after = await lab.fuelCode('session', run.sessionId, '--no-import');
    console.log('RESULT db', run.code, lab.model.requests.flatMap((r) => r.toolResults), 'fired', existsSync(join(lab.dataHome, 'hooks/last')), after.code, after.stderr, readdirSync(lab.dataHome), readdirSync(join(lab.dataHome, 'spool')));
  }
});

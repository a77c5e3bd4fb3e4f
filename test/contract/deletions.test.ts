import { describe, expect, it } from 'vitest';
import { markGone } from '../../src/store/queries/archive/archive.ts';
import { findDeleted } from '../../src/store/queries/deletions/deletions.ts';
import { listFilesBeside, removeFiles } from '../../src/store/queries/deletions/remove-session.ts';
import { findMasked } from '../../src/store/queries/masks/masks.ts';
import { markUnparsed } from '../../src/store/queries/sessions/session-state.ts';
import { findSessionsOfPlan } from '../../src/store/queries/transcript/documents.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, seedSession } from '../support/seed-session.ts';
import { STORES } from '../support/stores.ts';

/** Archived files of the device that belong to no session; their ids are their paths. */
async function addFiles({ engine }: Store, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = { id: path, root: '/home/ada/.claude', path, kind: 'team', device_id: 'device-1', state: 'captured' };
    const seen = {
      generation: 1,
      seen_size: 1,
      seen_mtime_ms: 1,
      seen_inode: '1',
      first_seen_at: NOW,
      updated_at: NOW,
    };
    await engine.kysely
      .insertInto('source_files')
      .values({ ...file, ...seen })
      .execute();
  }
}

async function nameTeam({ engine }: Store, session: string, team: string): Promise<void> {
  await engine.kysely.updateTable('sessions').set({ team_name: team }).where('id', '=', session).execute();
}

async function nameSlugs({ engine }: Store, session: string, slugs: readonly string[]): Promise<void> {
  const metadata = JSON.stringify({ slugs });
  await engine.kysely.updateTable('sessions').set({ metadata }).where('id', '=', session).execute();
}

describe.each(STORES)('lists of any length on $name', ({ open }) => {
  const many = Array.from({ length: 40_000 }, (_, at) => `unknown-${at}`);

  it('can be named: files that are gone, sessions to parse, to delete and to mask', async () => {
    await using store = await open();
    const { kysely } = store.engine;
    await seedSession(store, 'known');
    await addFiles(store, ['teams/a/config.json']);
    await kysely.updateTable('sessions').set({ parser_version: 7 }).execute();
    await markUnparsed(kysely, [...many, 'known'], NOW);
    await markGone(kysely, [...many, 'teams/a/config.json'], NOW);
    expect(await kysely.selectFrom('sessions').select('parser_version').execute()).toEqual([{ parser_version: 0 }]);
    expect(await kysely.selectFrom('source_files').select('state').execute()).toEqual([{ state: 'gone' }]);
    expect(await findDeleted(kysely, many)).toEqual(new Set());
    expect(await findMasked(kysely, many)).toEqual(new Set());
    await removeFiles(kysely, many, [...many, 'teams/a/config.json']);
    expect(await kysely.selectFrom('source_files').select('id').execute()).toEqual([]);
  });
});

describe.each(STORES)('the files beside a session on $name', ({ open }) => {
  it('are those of its own team, whatever characters its name has', async () => {
    await using store = await open();
    await seedSession(store, 'lead');
    await nameTeam(store, 'lead', 'my_team');
    await addFiles(store, ['teams/my_team/config.json', 'teams/myXteam/config.json', 'teams/myteam/config.json']);
    expect(await listFilesBeside(store.engine.kysely, 'lead')).toEqual(['teams/my_team/config.json']);
  });

  it('are the plans of exactly its names', async () => {
    await using store = await open();
    await seedSession(store, 'planner');
    await nameSlugs(store, 'planner', ['calm_fox']);
    const own = ['plans/calm_fox-agent-1.md', 'plans/calm_fox.md'];
    await addFiles(store, [...own, 'plans/calm-fox.md', 'plans/calmXfox-agent-1.md', 'plans/Calm_Fox.md']);
    expect(await listFilesBeside(store.engine.kysely, 'planner')).toEqual(own);
  });

  it('are not kept for a session whose plan only has a similar name', async () => {
    await using store = await open();
    for (const [id, slug] of [
      ['one', 'calm_fox'],
      ['other', 'calm-fox'],
    ] as const) {
      await seedSession(store, id);
      await nameSlugs(store, id, [slug]);
    }
    expect(await findSessionsOfPlan(store.engine.kysely, 'device-1', 'calm_fox')).toEqual(['one']);
  });
});

import type { peopleEndpoints } from '../../api/people.ts';
import { FuelError } from '../../domain/errors.ts';
import type { Acts } from '../../app/command-types.ts';
import type { Handlers, RequestContext } from '../route.ts';

type Patch = Parameters<Handlers<typeof peopleEndpoints>['PATCH /sessions/:id']>[0]['body'];

async function change(
  acts: Acts,
  id: string,
  { tags, add_tags, remove_tags, is_pinned, summary, workspace_id }: Patch,
): Promise<void> {
  if (tags !== undefined) await acts.tag(id, 'set', tags);
  if (add_tags !== undefined) await acts.tag(id, 'add', add_tags);
  if (remove_tags !== undefined) await acts.tag(id, 'remove', remove_tags);
  if (is_pinned !== undefined) await acts.pin(id, is_pinned);
  if (summary !== undefined) await acts.summarise(id, summary);
  if (workspace_id !== undefined) await acts.moveSession(id, workspace_id);
}

/** E16: with a merge, one device could take over the sessions of another. Errors: forbidden. */
function ensureServerToken(context: RequestContext): void {
  if (context.get('sender') === null) return;
  throw new FuelError('forbidden', "Devices are renamed and merged with the server's own token only.", {
    hint: 'Run `fuel-code devices` on the server itself.',
  });
}

export const peopleHandlers: Handlers<typeof peopleEndpoints> = {
  'PATCH /sessions/:id': async ({ params, body }, { acts, reads }) => {
    await change(acts, params.id, body);
    return reads.getSession(params.id);
  },
  'POST /sessions/:id/notes': async ({ params, body }, { acts, reads }) => {
    await acts.addNote(params.id, body.text);
    return reads.getSession(params.id);
  },
  'PATCH /notes/:note_id': async ({ params, body }, { acts }) => {
    await acts.editNote(params.note_id, body.text);
    return { ok: true };
  },
  'DELETE /notes/:note_id': async ({ params }, { acts }) => {
    await acts.removeNote(params.note_id);
    return { ok: true };
  },
  'PATCH /workspaces/:workspace_id': async ({ params, body }, { acts, reads }) => {
    const { display_name, merge_into } = body;
    const { id } = await reads.getWorkspace(params.workspace_id);
    if (display_name !== undefined) await acts.renameWorkspace(id, display_name);
    if (merge_into !== undefined) await acts.mergeWorkspaces(id, merge_into);
    return reads.getWorkspace(merge_into ?? id);
  },
  'PATCH /devices/:device_id': async ({ params, body, context }, { acts, reads }) => {
    ensureServerToken(context);
    const { id } = await reads.getDevice(params.device_id);
    if (body.name !== undefined) await acts.renameDevice(id, body.name);
    if (body.merge_into !== undefined) await acts.mergeDevices(id, body.merge_into);
    return reads.getDevice(id);
  },
  'POST /sessions/:id/reparse': async ({ params }, { acts }) => {
    await acts.reparse(params.id);
    return { ok: true };
  },
  'POST /sessions/:id/restore': async ({ params }, { acts }) => {
    await acts.reparse(params.id);
    return { ok: true };
  },
  'POST /sessions/:id/archive': async ({ params }, { acts }) => ({
    outcome: (await acts.archive(params.id)) ? 'archived' : 'not_now',
  }),
};

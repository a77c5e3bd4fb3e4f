import type { FieldNode, SearchNode } from '../../../domain/search.ts';
import type { Tx } from '../../engine.ts';
import { matchDevices } from '../devices/devices.ts';
import { matchWorkspaces } from '../workspaces/workspace-rows.ts';

/**
 * Replaces names of workspaces and devices with the ids they match. `mustExist`: a name that matches nothing is an
 * error, as for an option or parameter; in a search it just finds nothing. Errors: not_found.
 */
export async function resolveNames(
  db: Tx,
  node: SearchNode,
  { mustExist }: { readonly mustExist: boolean },
): Promise<SearchNode> {
  if (node.kind === 'not') return { ...node, node: await resolveNames(db, node.node, { mustExist }) };
  if (node.kind === 'all' || node.kind === 'any') {
    const nodes: SearchNode[] = [];
    for (const one of node.nodes) nodes.push(await resolveNames(db, one, { mustExist }));
    return { ...node, nodes };
  }
  if (node.kind !== 'field' || node.value.type !== 'text' || !isName(node)) return node;
  const match = node.field === 'workspace' ? matchWorkspaces : matchDevices;
  return { ...node, value: { type: 'ids', ids: await match(db, node.value.text, { mustExist }) } };
}

/** Whether the value of a field names a workspace or device. */
export function isName({ field }: FieldNode): boolean {
  return field === 'workspace' || field === 'device';
}

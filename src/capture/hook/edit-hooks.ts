import {
  checkEdit,
  insertChild,
  type JsonChild,
  type JsonContainer,
  type JsonNode,
  JsonProblem,
  member,
  removeChild,
  removeMember,
  replaceNode,
  rootOf,
  serialize,
} from '../settings/jsonc.ts';
import { HOOK_EVENTS, HOOK_TIMEOUT_SECONDS, type HookEntry } from './hook-events.ts';
import { COMMAND_MARK } from './hook-script.ts';

/** One of our hooks in a settings file. */
export interface InstalledHook extends HookEntry {
  readonly command: string;
  readonly timeout: number | null;
}

/** What an installation created, so that uninstalling leaves no empty containers. */
export type Created = 'file' | 'hooks' | `hooks.${string}`;

interface Found extends InstalledHook {
  readonly node: JsonNode;
  readonly at: number;
  readonly list: JsonContainer;
  readonly group: JsonContainer;
  readonly groupAt: number;
  readonly groups: JsonContainer;
}

const MAX_EDITS = 1_000;

/** Finds our hooks in a settings file. Errors: JsonProblem. */
export function findHooks(text: string): readonly InstalledHook[] {
  return findOurs(rootOf(text));
}

/** Returns true when the settings disable all hooks. */
export function areHooksDisabled(text: string): boolean {
  const node = member(rootOf(text), 'disableAllHooks');
  return node?.kind === 'scalar' && node.value === true;
}

/** Whether the settings enable our plugin, from whatever marketplace. Errors: JsonProblem. */
export function isPluginEnabled(text: string): boolean {
  const plugins = member(rootOf(text), 'enabledPlugins');
  return (
    plugins?.kind === 'object' &&
    plugins.children.some(
      ({ key, node }) => key?.startsWith('fuel-code@') === true && node.kind === 'scalar' && node.value === true,
    )
  );
}

/** Returns the text with exactly one entry of ours per event; everything else is unchanged. Errors: JsonProblem. */
export function addHooks(
  text: string,
  command: string,
  events: readonly HookEntry[] = HOOK_EVENTS,
): { readonly text: string; readonly created: Created[] } {
  const created: Created[] = [];
  const edited = editUntilDone(text, (now) => nextAddition(now, command, events, created));
  return { text: checkEdit(text, edited, foreignContent), created };
}

/** Returns the text without our entries and without the empty containers in `created`. Errors: JsonProblem. */
export function removeHooks(text: string, created: ReadonlySet<Created>): string {
  const edited = editUntilDone(text, (now) => {
    const [found] = findOurs(rootOf(now));
    return found === undefined ? null : removeFound(now, found, created);
  });
  return checkEdit(text, edited, foreignContent);
}

function editUntilDone(text: string, next: (text: string) => string | null): string {
  let current = text;
  for (let edits = 0; edits < MAX_EDITS; edits++) {
    const edited = next(current);
    if (edited === null) return current;
    current = edited;
  }
  throw new JsonProblem(`it would need more than ${MAX_EDITS} edits`, 0);
}

function nextAddition(text: string, command: string, events: readonly HookEntry[], created: Created[]): string | null {
  const root = rootOf(text);
  const found = findOurs(root);
  const kept = events.map((entry) => found.find((one) => isSameEntry(one, entry)));
  const stray = found.find((one) => !kept.includes(one));
  if (stray !== undefined) return removeFound(text, stray, new Set<Created>([`hooks.${stray.event}`]));
  const old = kept.find((one) => one !== undefined && !isCurrent(one, command));
  if (old !== undefined) return replaceNode(text, old.node, hookValue(command));
  const missing = events[kept.indexOf(undefined)];
  return missing === undefined ? null : addMissing(text, root, missing, command, created);
}

function isSameEntry(found: InstalledHook, { event, matcher }: HookEntry): boolean {
  return found.event === event && found.matcher === matcher;
}

export function isCurrent({ command, timeout }: InstalledHook, wanted: string): boolean {
  return command === wanted && timeout === HOOK_TIMEOUT_SECONDS;
}

function addMissing(text: string, root: JsonContainer, entry: HookEntry, command: string, created: Created[]): string {
  const group = groupValue(entry, command);
  const hooks = member(root, 'hooks');
  if (hooks === undefined) {
    created.push('hooks', `hooks.${entry.event}`);
    return insertChild(text, root, 'hooks', { [entry.event]: [group] });
  }
  if (hooks.kind !== 'object') throw new JsonProblem('"hooks" is not an object', hooks.start);
  const groups = member(hooks, entry.event);
  if (groups === undefined) {
    created.push(`hooks.${entry.event}`);
    return insertChild(text, hooks, entry.event, [group]);
  }
  if (groups.kind !== 'array') throw new JsonProblem(`"hooks.${entry.event}" is not a list`, groups.start);
  return insertChild(text, groups, null, group);
}

function groupValue({ matcher }: HookEntry, command: string): object {
  return { ...(matcher === null ? {} : { matcher }), hooks: [hookValue(command)] };
}

function hookValue(command: string): object {
  return { type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS };
}

/** Removes one entry and whatever becomes empty: its group, the event's list, the hooks object. */
function removeFound(text: string, found: Found, created: ReadonlySet<Created>): string {
  if (found.list.children.length > 1 || found.group.children.some(({ key }) => key !== 'hooks' && key !== 'matcher')) {
    return removeChild(text, found.list, found.at);
  }
  const isLast = found.groups.children.length === 1;
  if (!isLast || !created.has(`hooks.${found.event}`)) return removeChild(text, found.groups, found.groupAt);
  const root = rootOf(text);
  const hooks = member(root, 'hooks') as JsonContainer;
  if (hooks.children.length === 1 && created.has('hooks')) return removeMember(text, root, 'hooks');
  return removeMember(text, hooks, found.event);
}

function findOurs(root: JsonContainer): Found[] {
  const hooks = member(root, 'hooks');
  if (hooks?.kind !== 'object') return [];
  return hooks.children.flatMap(({ key, node }) => {
    if (node.kind !== 'array' || member(hooks, key ?? '') !== node) return [];
    return node.children.flatMap((child, groupAt) => oursInGroup(key ?? '', node, child, groupAt));
  });
}

function oursInGroup(event: string, groups: JsonContainer, { node: group }: JsonChild, groupAt: number): Found[] {
  const list = member(group, 'hooks');
  if (group.kind !== 'object' || list?.kind !== 'array') return [];
  const matcher = textOf(member(group, 'matcher'));
  return list.children.flatMap(({ node }, at) => {
    const command = textOf(member(node, 'command'));
    if (command === null || !command.includes(COMMAND_MARK)) return [];
    const timeout = numberOf(member(node, 'timeout'));
    return [{ event, matcher, command, timeout, node, at, list, group, groupAt, groups }];
  });
}

function textOf(node: JsonNode | undefined): string | null {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : null;
}

function numberOf(node: JsonNode | undefined): number | null {
  return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : null;
}

/** Everything except our own entries, in order; empty containers among the hooks do not count. */
function foreignContent(text: string): string {
  const root = rootOf(text);
  const ours = new Set<JsonNode>(
    findOurs(root).flatMap(({ node, group, list }) => (list.children.length > 1 ? [node] : [group])),
  );
  const hooks = member(root, 'hooks');
  const others = root.children.filter(({ node }) => node !== hooks);
  const serialized = others.map(({ key, node }) => `${key}:${serialize(text, node)}`);
  return `${serialized.join()};${hooks === undefined ? '' : serializeHooks(text, hooks, ours)}`;
}

function serializeHooks(text: string, node: JsonNode, ours: ReadonlySet<JsonNode>): string {
  if (ours.has(node)) return '';
  if (node.kind === 'scalar') return serialize(text, node);
  const parts = node.children.map((child) => ({ key: child.key, serialized: serializeHooks(text, child.node, ours) }));
  const kept = parts
    .filter(({ serialized }) => serialized !== '')
    .map(({ key, serialized }) => `${JSON.stringify(key)}:${serialized}`);
  return kept.length === 0 ? '' : `${node.kind}(${kept.join()})`;
}

import {
  checkEdit,
  hasValue,
  insertChild,
  type JsonContainer,
  type JsonNode,
  JsonProblem,
  member,
  removeMember,
  replaceNode,
  rootOf,
  serialize,
} from '../settings/jsonc.ts';

/** An MCP server as Claude Code stores it. */
export interface ServerEntry {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What an installation created, so that removing it leaves nothing behind. */
export type Created = 'file' | 'mcpServers';

const NAME = 'fuel-code';
const SERVERS = 'mcpServers';

export type ServerState = 'missing' | 'installed' | 'outdated' | 'foreign';

/** Errors: JsonProblem. */
export function stateOf(text: string, entry: ServerEntry): ServerState {
  const found = findServer(rootOf(text));
  if (found === undefined) return 'missing';
  if (!isOurs(found)) return 'foreign';
  return hasValue(text, found, entry) ? 'installed' : 'outdated';
}

/** Returns the text with our server in it; everything else is unchanged. Errors: JsonProblem, also for a foreign server of our name. */
export function addServer(text: string, entry: ServerEntry): { readonly text: string; readonly created: Created[] } {
  const root = rootOf(text);
  const servers = member(root, SERVERS);
  const checked = (edited: string) => checkEdit(text, edited, foreignContent);
  if (servers === undefined) {
    return { text: checked(insertChild(text, root, SERVERS, { [NAME]: entry })), created: [SERVERS] };
  }
  if (servers.kind !== 'object') throw new JsonProblem(`"${SERVERS}" is not an object`, servers.start);
  const found = member(servers, NAME);
  if (found === undefined) return { text: checked(insertChild(text, servers, NAME, entry)), created: [] };
  if (!isOurs(found)) throw new JsonProblem(`another MCP server is named "${NAME}"`, found.start);
  const edited = hasValue(text, found, entry) ? text : replaceNode(text, found, entry);
  return { text: checked(edited), created: [] };
}

/** Returns the text without our server, and without the containers in `created` if they are empty. Errors: JsonProblem. */
export function removeServer(text: string, created: ReadonlySet<Created>): string {
  const root = rootOf(text);
  const found = findServer(root);
  if (found === undefined || !isOurs(found)) return text;
  const servers = member(root, SERVERS) as JsonContainer;
  const isLast = servers.children.length === 1 && created.has(SERVERS);
  const edited = isLast ? removeMember(text, root, SERVERS) : removeMember(text, servers, NAME);
  return checkEdit(text, edited, foreignContent);
}

function findServer(root: JsonContainer): JsonNode | undefined {
  const servers = member(root, SERVERS);
  return servers?.kind === 'object' ? member(servers, NAME) : undefined;
}

/** Any command that starts `fuel-code mcp`, wherever it is installed. */
function isOurs(node: JsonNode): boolean {
  const args = member(node, 'args');
  const words = [member(node, 'command'), ...(args?.kind === 'array' ? args.children.map((child) => child.node) : [])];
  const texts = words.flatMap((word) => (word?.kind === 'scalar' ? String(word.value) : []));
  return texts.some((text) => /fuel-code|main\.ts$/.test(text)) && texts.slice(1).includes('mcp');
}

function foreignContent(text: string): string {
  const root = rootOf(text);
  const servers = member(root, SERVERS);
  const ours = findServer(root);
  const others = root.children.filter(({ node }) => node !== servers);
  const parts = others.map(({ key, node }) => `${key}:${serialize(text, node)}`);
  if (servers === undefined) return parts.join();
  if (servers.kind !== 'object') return [...parts, serialize(text, servers)].join();
  const kept = servers.children.filter(({ node }) => node !== ours);
  return [...parts, ...kept.map(({ key, node }) => `${SERVERS}.${key}:${serialize(text, node)}`)].join();
}

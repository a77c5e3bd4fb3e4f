import { z } from 'zod';
import { anything, bool, fields, named, num, openFields, opt, opts, str, strs, variantsBy, word } from './kit.ts';

const annotations = opt(fields({ audience: opt(strs), priority: opt(num), lastModified: opt(str) }));
const mcpCommon = { annotations, _meta: opt(anything) };

/** Source of an image or document, as the Messages API writes it. */
const mediaSource = fields({
  type: str,
  ...opts(str, 'media_type', 'data', 'url', 'file_id'),
});

function kind<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`mcp.${type}`, description, fields({ type: z.literal(type), ...mcpCommon, ...shape }));
}

/** The five kinds of content an MCP tool may return. Claude Code converts images to the form of the Messages API. */
export const MCP_CONTENT_SCHEMAS = {
  text: kind('text', 'Text from an MCP tool.', { text: str }),
  image: kind('image', 'Image from an MCP tool, in MCP form (data) or Messages API form (source).', {
    ...opts(str, 'data', 'mimeType'),
    source: opt(mediaSource),
  }),
  audio: kind('audio', 'Audio from an MCP tool.', { data: opt(str), mimeType: opt(str) }),
  resource_link: kind('resource_link', 'Link to a resource on an MCP server.', {
    uri: str,
    ...opts(str, 'name', 'title', 'description', 'mimeType'),
    size: opt(num),
  }),
  resource: kind('resource', 'Resource of an MCP server, embedded.', {
    resource: fields({ uri: opt(str), mimeType: opt(str), text: opt(str), blob: opt(str), _meta: opt(anything) }),
  }),
} satisfies Record<'text' | 'image' | 'audio' | 'resource_link' | 'resource', z.ZodType>;

const resourceEntry = named(
  'mcp.resource_entry',
  'Entry of a resource listing (ListMcpResourcesTool).',
  fields({
    ...opts(str, 'uri', 'name', 'title', 'server', 'mimeType', 'description'),
    size: opt(num),
    ...mcpCommon,
  }),
);

export type McpContent = z.infer<(typeof MCP_CONTENT_SCHEMAS)[keyof typeof MCP_CONTENT_SCHEMAS]>;

/** One item of an array in `toolUseResult`. */
export const McpContentSchema: z.ZodType<McpContent> = variantsBy('type', MCP_CONTENT_SCHEMAS, resourceEntry);

const common = { cache_control: opt(anything) };

function block<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`block.${type}`, description, fields({ type: z.literal(type), ...common, ...shape }));
}

const caller = opt(
  openFields({ type: opt(word('direct', 'code_execution_20250825', 'code_execution_20260120')), tool_id: opt(str) }),
);
const citations = opt(anything);

const text = block('text', 'Text.', { text: str, citations });
const image = block('image', 'Image.', { source: mediaSource });
const document = block('document', 'Document, such as a PDF or pasted text.', {
  source: mediaSource,
  ...opts(str, 'title', 'context'),
  citations,
});
const toolReference = block('tool_reference', 'Name of a deferred tool that ToolSearch loaded.', { tool_name: str });
const searchResult = block('search_result', 'Search result given to the model by a tool.', {
  ...opts(str, 'source', 'title'),
  content: opt(anything),
  citations,
});

const innerBlock = variantsBy('type', {
  text,
  image,
  document,
  tool_reference: toolReference,
  search_result: searchResult,
});

const serverCall = { id: str, name: str, input: opt(anything), caller };
const serverResult = { tool_use_id: str, content: opt(anything), caller };

/** Blocks of `message.content`. Each server-side tool has its own result type; its content is not described here. */
export const BLOCK_SCHEMAS = {
  text,
  thinking: block('thinking', 'Reasoning; from 2.1.77 usually an empty text with its signature.', {
    thinking: str,
    signature: opt(str),
  }),
  redacted_thinking: block('redacted_thinking', 'Reasoning the API returned encrypted.', { data: str }),
  tool_use: block('tool_use', 'Tool call. The input is written by the model and may violate the tool’s schema.', {
    id: str,
    name: str,
    input: opt(anything),
    caller,
  }),
  tool_result: block('tool_result', 'Result of a tool call: text, blocks, or a <persisted-output> notice.', {
    tool_use_id: str,
    content: opt(z.union([str, z.array(innerBlock)])),
    is_error: opt(bool),
  }),
  image,
  document,
  tool_reference: toolReference,
  search_result: searchResult,
  server_tool_use: block('server_tool_use', 'Call of a tool run by the API.', serverCall),
  web_search_tool_result: block('web_search_tool_result', 'Result of the API’s web search.', serverResult),
  web_fetch_tool_result: block('web_fetch_tool_result', 'Result of the API’s web fetch.', serverResult),
  code_execution_tool_result: block('code_execution_tool_result', 'Result of the API’s code execution.', serverResult),
  bash_code_execution_tool_result: block(
    'bash_code_execution_tool_result',
    'Result of the API’s shell execution.',
    serverResult,
  ),
  text_editor_code_execution_tool_result: block(
    'text_editor_code_execution_tool_result',
    'Result of the API’s file editor.',
    serverResult,
  ),
  tool_search_tool_result: block('tool_search_tool_result', 'Result of the API’s tool search.', serverResult),
  mcp_tool_use: block('mcp_tool_use', 'Call of an MCP tool run by the API.', {
    ...serverCall,
    server_name: opt(str),
  }),
  mcp_tool_result: block('mcp_tool_result', 'Result of an MCP tool run by the API.', {
    ...serverResult,
    is_error: opt(bool),
  }),
  container_upload: block('container_upload', 'File uploaded to the code execution container.', { file_id: opt(str) }),
  fallback: named(
    'block.fallback',
    'Marks where another model took over after a refusal; its fields vary.',
    openFields({ type: z.literal('fallback') }),
  ),
} satisfies Record<string, z.ZodType>;

/** A block of a known type. */
type KnownBlock = z.infer<(typeof BLOCK_SCHEMAS)[keyof typeof BLOCK_SCHEMAS]>;

/** One block of `message.content`; unknown types are accepted. */
export const BlockSchema: z.ZodType<KnownBlock> = variantsBy('type', BLOCK_SCHEMAS);

/** `message.content` of a user line: a text or blocks. */
export const contentSchema: z.ZodType<string | KnownBlock[]> = z.union([str, z.array(BlockSchema)]);

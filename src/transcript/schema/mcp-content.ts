import { z } from 'zod';
import { anything, fields, named, num, opt, str, strs, variantsBy } from './kit.ts';

const annotations = opt(fields({ audience: opt(strs), priority: opt(num), lastModified: opt(str) }));
const common = { annotations, _meta: opt(anything) };

/** Where an image or document comes from, as the Messages API writes it. */
export const mediaSource = fields({
  type: str,
  media_type: opt(str),
  data: opt(str),
  url: opt(str),
  file_id: opt(str),
});

function kind<const T extends string, S extends z.core.$ZodLooseShape>(type: T, description: string, shape: S) {
  return named(`mcp.${type}`, description, fields({ type: z.literal(type), ...common, ...shape }));
}

/** The five kinds of content an MCP tool may return. Claude Code turns images into the form of the Messages API. */
export const MCP_CONTENT_SCHEMAS = {
  text: kind('text', 'Text from an MCP tool.', { text: str }),
  image: kind('image', 'Image from an MCP tool, in MCP form (data) or Messages API form (source).', {
    data: opt(str),
    mimeType: opt(str),
    source: opt(mediaSource),
  }),
  audio: kind('audio', 'Audio from an MCP tool.', { data: opt(str), mimeType: opt(str) }),
  resource_link: kind('resource_link', 'Link to a resource an MCP server holds.', {
    uri: str,
    name: opt(str),
    title: opt(str),
    description: opt(str),
    mimeType: opt(str),
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
    uri: opt(str),
    name: opt(str),
    title: opt(str),
    server: opt(str),
    mimeType: opt(str),
    description: opt(str),
    size: opt(num),
    ...common,
  }),
);

export type McpContent = z.infer<(typeof MCP_CONTENT_SCHEMAS)[keyof typeof MCP_CONTENT_SCHEMAS]>;

/** One item of an array in `toolUseResult`. */
export const McpContentSchema: z.ZodType<McpContent> = variantsBy('type', MCP_CONTENT_SCHEMAS, resourceEntry);

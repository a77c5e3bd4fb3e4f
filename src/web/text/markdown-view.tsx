import { Square, SquareCheck } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import {
  INLINE_CODE,
  MAX_MARKDOWN_CHARS,
  parseInline,
  parseMarkdown,
  splitFences,
  type ListItem,
  type MarkdownBlock,
} from '../../reading/markdown.ts';
import { CodeView } from '../items/code/code-view.tsx';
import { ExternalLink } from '../items/external-link.tsx';
import { languageOfFence } from '../items/code/languages.ts';

const TAGS = { strong: 'strong', emphasis: 'em', struck: 's' } as const;

function Inlines({ text }: { readonly text: string }): ReactNode {
  return parseInline(text).map((part, index) => {
    if (part.kind === 'code') return <code key={index}>{part.text}</code>;
    if (part.kind === 'text') return part.text;
    if (part.kind === 'link')
      return (
        <ExternalLink key={index} url={part.url}>
          <WithCode text={part.text} />
        </ExternalLink>
      );
    const Tag = TAGS[part.kind];
    return (
      <Tag key={index}>
        <WithCode text={part.text} />
      </Tag>
    );
  });
}

function WithCode({ text }: { readonly text: string }): ReactNode {
  return parseInline(text, INLINE_CODE).map((part, index) =>
    part.kind === 'code' ? <code key={index}>{part.text}</code> : part.text,
  );
}

/** Text as typed; only code is formatted. */
export function TypedText({ text }: { readonly text: string }) {
  const blocks = useMemo(() => splitFences(text.slice(0, MAX_MARKDOWN_CHARS)), [text]);
  return (
    <div className="typed" dir="auto">
      {blocks.map((block, index) =>
        block.kind === 'code' ? (
          <CodeView key={index} text={block.text} language={languageOfFence(block.language)} label="Code" />
        ) : (
          'text' in block && (
            <p key={index}>
              <WithCode text={block.text} />
            </p>
          )
        ),
      )}
      {text.length > MAX_MARKDOWN_CHARS && <pre className="code">{text.slice(MAX_MARKDOWN_CHARS)}</pre>}
    </div>
  );
}

const MAX_LIST_DEPTH = 4;

function Marker({ item: { isChecked, marker } }: { readonly item: ListItem }) {
  if (isChecked === null) return /\d/.test(marker) ? marker : '•';
  const Icon = isChecked ? SquareCheck : Square;
  return <Icon size={15} className="md-box" role="img" aria-label={isChecked ? 'done' : 'open'} />;
}

function Item({ item }: { readonly item: ListItem }) {
  return (
    <li className={`md-item md-depth-${Math.min(item.depth, MAX_LIST_DEPTH)}`}>
      <span className="md-marker">
        <Marker item={item} />
      </span>
      <span className="md-item-text">
        <Inlines text={item.text} />
      </span>
    </li>
  );
}

function Table({ rows }: { readonly rows: readonly (readonly string[])[] }) {
  const [head = [], ...body] = rows;
  return (
    <div className="md-table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index}>
                <Inlines text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td key={index}>
                  <Inlines text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Block({ block }: { readonly block: MarkdownBlock }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Inlines text={block.text} />
        </p>
      );
    case 'heading':
      // Not heading elements, so that the outline of the page stays its own; these are only shown larger.
      return (
        <p className={`md-heading md-heading-${Math.min(block.level, 4)}`}>
          <Inlines text={block.text} />
        </p>
      );
    case 'code':
      return <CodeView text={block.text} language={languageOfFence(block.language)} label="Code" />;
    case 'quote':
      return (
        <blockquote>
          <Inlines text={block.text} />
        </blockquote>
      );
    case 'list':
      return (
        <ul className="md-list">
          {block.items.map((item, index) => (
            <Item key={index} item={item} />
          ))}
        </ul>
      );
    case 'table':
      return <Table rows={block.rows} />;
    case 'rule':
      return <hr />;
    default:
      return block satisfies never;
  }
}

export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text.slice(0, MAX_MARKDOWN_CHARS)), [text]);
  return (
    <div className="md" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {text.length > MAX_MARKDOWN_CHARS && <pre className="code">{text.slice(MAX_MARKDOWN_CHARS)}</pre>}
    </div>
  );
}

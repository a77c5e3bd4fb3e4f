import { useState } from 'react';
import { formatCount, withoutTerminalCodes } from '../../reading/format.ts';

const PREVIEW_CHARS = 6_000;

interface CollapsibleTextProps {
  readonly text: string;
  readonly className?: string;
}

/** Preformatted text; very long text is truncated until the user expands it. */
export function CollapsibleText({ text, className = 'code' }: CollapsibleTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > PREVIEW_CHARS;
  const shown = isLong && !isWhole ? text.slice(0, PREVIEW_CHARS) : text;
  return (
    <>
      <pre className={className} dir="auto">
        {withoutTerminalCodes(shown)}
      </pre>
      {isLong && !isWhole && (
        <button type="button" className="quiet-button" onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      )}
    </>
  );
}

import type { BlockRow } from '../../api/answers/transcript.ts';

/** Says that a page shows only the beginning of a very long text. */
export function CutNote({ block }: { readonly block: BlockRow }) {
  if (block.metadata['truncated'] !== true) return null;
  return (
    <p className="muted">
      Only the beginning of this text is shown here; <code>fuel-code session --transcript --full</code> prints all of
      it.
    </p>
  );
}

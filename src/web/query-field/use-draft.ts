import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { type Draft, draftOf, queryOf, settle } from '../../reading/query/draft.ts';

interface Editing {
  /** The search that was given last. */
  readonly given: string;
  /** What was reported since then. Any other search that is given, as by Back, replaces the draft. */
  readonly reported: readonly string[];
  readonly draft: Draft;
  readonly caret: number;
}

export interface DraftControl {
  readonly draft: Draft;
  readonly caret: number;
  readonly type: (text: string, caret: number) => void;
  readonly moveCaret: (caret: number) => void;
  /** Ends typing: every field becomes a chip and is searched for. */
  readonly finish: () => void;
  readonly removeField: (index: number) => void;
  /** Makes a chip text again. */
  readonly editField: (index: number) => void;
}

/** The search while it is edited. `onChange` gets what can be searched for. */
export function useDraft(
  query: string,
  onChange: (query: string) => void,
  input: RefObject<HTMLInputElement | null>,
): DraftControl {
  const [editing, setEditing] = useState<Editing>(() => startEditing(query));
  if (editing.given !== query) {
    const seen = editing.reported.indexOf(query);
    setEditing(
      seen < 0 ? startEditing(query) : { ...editing, given: query, reported: editing.reported.slice(seen + 1) },
    );
  }
  const wantedCaret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wantedCaret.current !== null) input.current?.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = null;
  });
  const apply = (next: Draft, caret: number | null) => {
    const settled = settle(next, caret);
    const asked = queryOf(settled.draft, caret === null ? null : settled.caret);
    const isNew = asked !== (editing.reported.at(-1) ?? query);
    setEditing({ ...editing, ...settled, reported: isNew ? [...editing.reported, asked] : editing.reported });
    if (settled.draft.text !== next.text || caret === null) wantedCaret.current = settled.caret;
    if (isNew) onChange(asked);
  };
  const { draft, caret } = editing;
  return {
    draft,
    caret,
    type: (text, at) => {
      apply({ ...draft, text }, at);
      wantedCaret.current ??= at;
    },
    moveCaret: (at) => setEditing({ ...editing, caret: at }),
    finish: () => apply(draft, null),
    removeField: (index) => apply({ ...draft, fields: draft.fields.toSpliced(index, 1) }, draft.text.length),
    editField: (index) => {
      const field = draft.fields[index] ?? '';
      const rest = draft.text.trim();
      apply({ fields: draft.fields.toSpliced(index, 1), text: rest === '' ? field : `${field} ${rest}` }, field.length);
      wantedCaret.current = field.length;
      input.current?.focus();
    },
  };
}

function startEditing(query: string): Editing {
  const draft = draftOf(query);
  return { given: query, reported: [], draft, caret: draft.text.length };
}

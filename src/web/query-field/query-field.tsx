import { type KeyboardEvent, type RefObject, useId, useState, useDeferredValue } from 'react';
import { MAX_SEARCH_CHARS } from '../../domain/search.ts';
import { accept, spotAt, type Suggestion, type KnownValue, type Spot, suggest } from '../../reading/query/complete.ts';
import { Chips } from './chips.tsx';
import { type DraftControl, useDraft } from './use-draft.ts';
import styles from './query-field.module.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isValueField } from '../../domain/session-fields.ts';
import { CLIENTS } from '../api/client.ts';
import { useRealm } from '../routing/realm.ts';
import { formatCount, plural } from '../../reading/format.ts';

interface QueryFieldProps {
  /** The search, as in the address. */
  readonly query: string;
  /** Called while typing, with everything that is finished. */
  readonly onChange: (query: string) => void;
  readonly label: string;
  readonly placeholder: string;
  readonly input: RefObject<HTMLInputElement | null>;
  /** Enter, Escape and Down that no suggestion took. */
  readonly onLeave: (key: 'Enter' | 'Escape' | 'ArrowDown') => void;
  /** A key that leads here, shown in the empty field. */
  readonly shortcut?: string;
}

/** A search field that completes the grammar; finished filters are chips. */
export function QueryField(props: QueryFieldProps) {
  const { query, onChange, label, placeholder, input, shortcut } = props;
  const listId = useId();
  const draft = useDraft(query, onChange, input);
  const completion = useCompletion(draft);
  const { suggestions, current, isOpen } = completion;
  const { text, fields } = draft.draft;
  return (
    <search
      className={styles['field']}
      onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
    >
      <Chips fields={fields} onRemove={draft.removeField} onEdit={draft.editField} />
      <input
        ref={input}
        className={styles['input']}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen && current >= 0 ? optionId(listId, current) : undefined}
        aria-keyshortcuts={shortcut}
        placeholder={fields.length === 0 ? placeholder : ''}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_SEARCH_CHARS}
        value={text}
        onChange={({ target }) => completion.type(target.value, target.selectionStart ?? target.value.length)}
        onSelect={({ currentTarget }) => draft.moveCaret(currentTarget.selectionStart ?? 0)}
        onKeyDown={(event) => onFieldKey(event, { draft, completion, onLeave: props.onLeave })}
        onBlur={() => {
          completion.close();
          draft.finish();
        }}
      />
      {shortcut !== undefined && text === '' && fields.length === 0 && <kbd aria-hidden="true">{shortcut}</kbd>}
      {isOpen && (
        <SuggestionList id={listId} suggestions={suggestions} current={current} onChoose={completion.choose} />
      )}
    </search>
  );
}

interface Completion {
  readonly suggestions: readonly Suggestion[];
  /** -1 until one is selected. */
  readonly current: number;
  readonly isOpen: boolean;
  readonly type: (text: string, caret: number) => void;
  readonly choose: (suggestion: Suggestion) => void;
  readonly select: (index: number) => void;
  readonly open: () => void;
  readonly close: () => void;
}

function useCompletion({ draft, caret, type }: DraftControl): Completion {
  const [isWanted, setWanted] = useState(false);
  const [chosen, select] = useState(-1);
  const spot = isWanted ? spotAt(draft.text, caret) : null;
  const suggestions = useSuggestions(spot);
  const set = (wanted: boolean) => {
    setWanted(wanted);
    select(-1);
  };
  return {
    suggestions,
    current: Math.min(chosen, suggestions.length - 1),
    isOpen: suggestions.length > 0,
    type: (text, at) => {
      // A space ends a term; suggesting all fields again after each word would be noise.
      set(/\S$/.test(text.slice(0, at)));
      type(text, at);
    },
    choose: (suggestion) => {
      if (spot === null) return;
      const next = accept(draft.text, spot, suggestion);
      set(suggestion.isField);
      type(next.text, next.caret);
    },
    select,
    open: () => set(true),
    close: () => set(false),
  };
}

interface KeyContext {
  readonly draft: DraftControl;
  readonly completion: Completion;
  readonly onLeave: QueryFieldProps['onLeave'];
}

function onFieldKey(event: KeyboardEvent<HTMLInputElement>, { draft, completion, onLeave }: KeyContext): void {
  if (event.nativeEvent.isComposing) return;
  const { isOpen, suggestions, current } = completion;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Backspace' && draft.draft.fields.length > 0 && isAtStart(event.currentTarget)) {
    draft.editField(draft.draft.fields.length - 1);
  } else if (step !== undefined && isOpen) {
    const count = suggestions.length + 1;
    completion.select(((current + 1 + step + count) % count) - 1);
  } else if (event.key === 'ArrowDown' && event.altKey) {
    completion.open();
  } else if (isOpen && current >= 0 && (event.key === 'Enter' || event.key === 'Tab')) {
    completion.choose(suggestions[current] as Suggestion);
  } else if (isOpen && event.key === 'Tab' && !event.shiftKey && suggestions[0] !== undefined) {
    completion.choose(suggestions[0]);
  } else if (isOpen && event.key === 'Escape') {
    completion.close();
  } else if (event.key === 'Enter' || event.key === 'Escape' || event.key === 'ArrowDown') {
    completion.close();
    draft.finish();
    onLeave(event.key);
  } else return;
  event.preventDefault();
}

function isAtStart({ selectionStart, selectionEnd }: HTMLInputElement): boolean {
  return selectionStart === 0 && selectionEnd === 0;
}

const MAX_VALUES = 12;
const STALE_MS = 60_000;

/** Completions at the caret. The values of a field come from the server; until they are there, none are shown. */
function useSuggestions(spot: Spot | null): readonly Suggestion[] {
  const known = useKnownValues(spot);
  return spot === null ? [] : suggest(spot, known);
}

function useKnownValues(spot: Spot | null): readonly KnownValue[] {
  const { base } = useRealm();
  const field = spot?.kind === 'value' && isValueField(spot.field) ? spot.field : null;
  const typed = useDeferredValue(spot?.kind === 'value' ? spot.typed : '');
  const { data } = useQuery({
    queryKey: [base, 'values', field, typed],
    queryFn: ({ signal }) =>
      CLIENTS[base].get('/search/values', {
        query: { field: field ?? 'model', limit: MAX_VALUES, ...(typed === '' ? {} : { contains: typed }) },
        signal,
      }),
    enabled: field !== null,
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  });
  return data === undefined || data.field !== field ? [] : data.values;
}

interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly current: number;
  readonly onChoose: (suggestion: Suggestion) => void;
}

const optionId = (listId: string, index: number) => `${listId}-${index}`;

function SuggestionList({ id, suggestions, current, onChoose }: SuggestionListProps) {
  return (
    <div id={id} className={styles['list']} role="listbox" aria-label="Suggestions">
      {suggestions.map((suggestion, index) => (
        <div
          key={suggestion.insert}
          id={optionId(id, index)}
          className={styles['option']}
          role="option"
          aria-selected={index === current}
          ref={(element) => {
            if (index === current) element?.scrollIntoView({ block: 'nearest' });
          }}
          // The field keeps its focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          <bdi className={styles['insert']}>{suggestion.insert}</bdi>
          <span className={styles['about']}>{suggestion.about}</span>
          {suggestion.sessions !== null && (
            <span className={styles['count']} title={plural(suggestion.sessions, 'session')}>
              {formatCount(suggestion.sessions)}
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

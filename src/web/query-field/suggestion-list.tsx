import { formatCount, plural } from '../../reading/format.ts';
import type { Suggestion } from '../../reading/query/complete.ts';
import styles from './query-field.module.css';

interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly current: number;
  readonly onChoose: (suggestion: Suggestion) => void;
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`;

export function SuggestionList({ id, suggestions, current, onChoose }: SuggestionListProps) {
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

import type { FuelError } from '../../domain/errors.ts';
import { isBusy, useStatus } from '../api/queries.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { EmptyNotice, Loading, WithCode } from '../shell/notice.tsx';
import { recentSearches } from './recent-searches.ts';

const EXAMPLES = [
  ['ferry timetable', 'both words, anywhere in a session'],
  ['"off by one"', 'these words in this order'],
  ['workspace:harbour has:commit', 'sessions of a workspace with commits'],
  ['tool:Bash npm test', 'words in calls of a tool'],
  ['after:7d cost>5', 'sessions of the last week that cost more than $5'],
] as const;

/** Examples of searches, shown before the first one. */
export function SearchHelp() {
  return <Help title="Search prompts, answers, commands, output and files of all sessions" />;
}

/** Suggestions for another search, unless there is nothing to search. */
export function NothingFound({ text }: { readonly text: string }) {
  const { data: status } = useStatus(useRealm().base);
  if (status?.sessions === 0)
    return isBusy(status) ? <Loading what="Importing your sessions" /> : <EmptyNotice status={status} />;
  return <Help title={`No results for “${text}”. Fewer words find more; searches can look like this:`} />;
}

function Help({ title }: { readonly title: string }) {
  const recent = recentSearches(useRealm().base);
  return (
    <main className="scroll hits-page search-help">
      <div role="status">
        <h2>{title}</h2>
      </div>
      <dl>
        {EXAMPLES.map(([query, about]) => (
          <Example key={query} query={query} about={about} />
        ))}
      </dl>
      {recent.length > 0 && (
        <>
          <h2>Recent searches</h2>
          <dl>
            {recent.map((query) => (
              <Example key={query} query={query} about="" />
            ))}
          </dl>
        </>
      )}
    </main>
  );
}

function Example({ query, about }: { readonly query: string; readonly about: string }) {
  return (
    <div>
      <dt>
        <PageLink page={{ kind: 'search', text: query }}>
          <code>{query}</code>
        </PageLink>
      </dt>
      <dd>{about}</dd>
    </div>
  );
}

interface BadQueryProps {
  readonly text: string;
  readonly error: FuelError;
  readonly position: number;
}

/** Repeats the query below the search field and marks the character that could not be parsed. */
export function BadQuery({ text, error, position }: BadQueryProps) {
  const [character = ' '] = text.slice(position);
  return (
    <main className="scroll hits-page bad-query">
      <code>
        {text.slice(0, position)}
        <mark>{character}</mark>
        {text.slice(position + character.length)}
      </code>
      <p role="alert">{error.message}</p>
      <p className="muted">
        <WithCode text={error.hint ?? ''} />
      </p>
    </main>
  );
}

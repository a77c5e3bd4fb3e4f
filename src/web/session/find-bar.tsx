import { type KeyboardEvent, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ApiBase } from '../../client/client.ts';
import { formatCount } from '../../reading/format.ts';
import { type FindHit, useFind } from './queries.ts';
import type { FindState } from './reader.tsx';
import styles from './find-bar.module.css';

interface FindBarProps {
  readonly base: ApiBase;
  readonly id: string;
  readonly state: FindState;
  readonly onHit: (hit: FindHit) => void;
}

const PAUSE_MS = 150;

/** Finds text in the whole session and goes through all places in order. */
export function FindBar({ base, id, state, onHit }: FindBarProps) {
  const { typed, type, step, enter, hits, place, text, isWaiting, isComplete } = useFinding({ base, id, state, onHit });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') enter(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') state.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className={styles['bar']}>
      <input
        ref={field}
        type="search"
        value={typed}
        aria-label="Find in this session"
        placeholder="Find in this session"
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <output className={styles['count']}>{countText({ text, isWaiting, place, hits, isComplete })}</output>
      <button type="button" aria-label="Previous match" title="Previous match (N)" onClick={() => step(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Next match" title="Next match (n)" onClick={() => step(1)}>
        ↓
      </button>
      <button type="button" aria-label="Close" title="Close (Esc)" onClick={state.close}>
        ×
      </button>
    </search>
  );
}

/** What is looked for, what was found, and where the reader is in it. */
function useFinding({ base, id, state, onHit }: FindBarProps) {
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const [place, setPlace] = useState(-1);
  const { data, isFetching } = useFind(base, id, text);
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const hits = text.trim() === '' ? [] : (data?.hits ?? []);
  const step = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const next = place < 0 ? (by > 0 ? 0 : hits.length - 1) : (place + by + hits.length) % hits.length;
    setPlace(next);
    state.mark(text);
    onHit(hits[next] as FindHit);
  };
  useImperativeHandle(state.step, () => step);
  const isWaiting = isFetching || typed !== text;
  const wish = useRef<1 | -1 | null>(null);
  useEffect(() => {
    if (isWaiting || wish.current === null) return;
    const by = wish.current;
    wish.current = null;
    step(by);
  });
  const enter = (by: 1 | -1) => {
    if (!isWaiting) return step(by);
    // Goes to the match once it is found; nobody has to wait for the pause.
    wish.current = by;
    setText(typed);
  };
  const type = (value: string) => {
    setTyped(value);
    setPlace(-1);
  };
  return { typed, type, step, enter, hits, place, text, isWaiting, isComplete: data?.is_complete ?? true };
}

interface Found {
  readonly text: string;
  readonly isWaiting: boolean;
  readonly place: number;
  readonly hits: readonly FindHit[];
  readonly isComplete: boolean;
}

function countText({ text, isWaiting, place, hits, isComplete }: Found): string {
  if (text.trim() === '' || isWaiting) return '';
  if (hits.length === 0) return 'No matches';
  return `${place < 0 ? '' : `${formatCount(place + 1)} of `}${formatCount(hits.length)}${isComplete ? '' : '+'}`;
}

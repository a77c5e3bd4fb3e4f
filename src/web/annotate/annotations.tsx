import { Pin, PinOff, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SessionDetail, SessionNote } from '../../api/sessions.ts';
import { MAX_NOTE_CHARS, MAX_SUMMARY_CHARS, MAX_TITLE_CHARS } from '../../domain/annotation.ts';
import { formatDateTime, formatExact } from '../../reading/format.ts';
import { titleOf } from '../../reading/names.ts';
import { PageLink } from '../routing/page-link.tsx';
import { useRealm } from '../routing/realm.ts';
import { Editable } from './editable.tsx';
import { useAnnotate } from './use-annotate.ts';
import styles from './annotate.module.css';

interface SessionProps {
  readonly session: SessionDetail;
}

/** The title of a session, edited in place. The demo cannot be changed. */
export function EditableTitle({ session, children }: SessionProps & { readonly children: ReactNode }) {
  const { isDemo } = useRealm();
  const { patch } = useAnnotate(session.id);
  if (isDemo) return children;
  return (
    <Editable
      what="title"
      text={titleOf(session)}
      maxChars={MAX_TITLE_CHARS}
      hint="Empty: the automatic title"
      onSave={(title) => patch.mutate({ title })}
    >
      {children}
    </Editable>
  );
}

export function PinButton({ session }: SessionProps) {
  const { isDemo } = useRealm();
  const { patch } = useAnnotate(session.id);
  if (isDemo) return null;
  const Icon = session.is_pinned ? PinOff : Pin;
  return (
    <button
      type="button"
      className={styles['pin']}
      aria-pressed={session.is_pinned}
      title={session.is_pinned ? 'Unpin' : 'Pin'}
      aria-label="Pinned"
      onClick={() => patch.mutate({ is_pinned: !session.is_pinned })}
    >
      <Icon size={15} aria-hidden="true" />
    </button>
  );
}

/** Each tag leads to the sessions that have it. */
export function Tags({ session }: SessionProps) {
  const { isDemo } = useRealm();
  const { patch } = useAnnotate(session.id);
  return (
    <ul className={styles['tags']} aria-label="Tags">
      {session.tags.map((tag) => (
        <li key={tag} className={styles['tag']}>
          <PageLink page={{ kind: 'list', q: `tag:${tag}` }}>
            <bdi>{tag}</bdi>
          </PageLink>
          {!isDemo && (
            <button type="button" aria-label={`Remove tag ${tag}`} onClick={() => patch.mutate({ remove_tags: [tag] })}>
              <X size={11} aria-hidden="true" />
            </button>
          )}
        </li>
      ))}
      {!isDemo && (
        <li>
          <TagField onAdd={(tags) => patch.mutate({ add_tags: tags })} />
        </li>
      )}
    </ul>
  );
}

/** One or more words become tags. */
export function TagField({ onAdd }: { readonly onAdd: (tags: readonly string[]) => void }) {
  const [text, setText] = useState('');
  const add = () => {
    const tags = text.split(/[\s,]+/).filter((tag) => tag !== '');
    if (tags.length > 0) onAdd(tags);
    setText('');
  };
  return (
    <span className={styles['tag-field']}>
      <Plus size={12} aria-hidden="true" />
      <input
        aria-label="Add tags"
        placeholder="Tag"
        value={text}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') add();
          if (event.key === 'Escape') setText('');
        }}
      />
    </span>
  );
}

export function EditableSummary({ session }: SessionProps) {
  const { isDemo } = useRealm();
  const { patch } = useAnnotate(session.id);
  const text = (
    <span className={styles['summary']} dir="auto">
      {session.summary ?? 'No summary yet.'}
    </span>
  );
  if (isDemo) return text;
  return (
    <Editable
      what="summary"
      text={session.summary ?? ''}
      isLong
      maxChars={MAX_SUMMARY_CHARS}
      hint="Empty: the automatic summary"
      onSave={(summary) => patch.mutate({ summary: summary.trim() === '' ? null : summary })}
    >
      {text}
    </Editable>
  );
}

export function Notes({ session }: SessionProps) {
  const { isDemo } = useRealm();
  const [isWriting, setWriting] = useState(false);
  const [text, setText] = useState('');
  const { addNote } = useAnnotate(session.id);
  const save = () =>
    addNote.mutate(text, {
      onSuccess: () => {
        setText('');
        setWriting(false);
      },
    });
  return (
    <div className={styles['notes']}>
      {session.notes.map((note) => (
        <Note key={note.id} session={session} note={note} />
      ))}
      {!isDemo && !isWriting && (
        <button type="button" className={styles['quiet']} onClick={() => setWriting(true)}>
          Add a note
        </button>
      )}
      {isWriting && (
        <span className={styles['editing']}>
          <textarea
            className={styles['input']}
            aria-label="New note"
            autoFocus
            rows={3}
            maxLength={MAX_NOTE_CHARS}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
              if (event.key === 'Escape') setWriting(false);
            }}
          />
          <span className={styles['actions']}>
            <button type="button" className="button" disabled={text.trim() === ''} onClick={save}>
              Save
            </button>
            <button type="button" className={styles['quiet']} onClick={() => setWriting(false)}>
              Cancel
            </button>
          </span>
        </span>
      )}
    </div>
  );
}

function Note({ session, note }: SessionProps & { readonly note: SessionNote }) {
  const { isDemo } = useRealm();
  const { editNote, removeNote } = useAnnotate(session.id);
  const text = (
    <span className={styles['summary']} dir="auto">
      {note.text}
    </span>
  );
  return (
    <div className={styles['note']}>
      {isDemo ? (
        text
      ) : (
        <Editable
          what="note"
          text={note.text}
          isLong
          maxChars={MAX_NOTE_CHARS}
          onSave={(next) => editNote.mutate({ noteId: note.id, text: next })}
        >
          {text}
        </Editable>
      )}
      <span className={styles['hint']}>
        <time dateTime={note.created_at} title={formatExact(note.created_at)}>
          {formatDateTime(note.created_at, new Date())}
        </time>
        {!isDemo && (
          <button type="button" className={styles['quiet']} onClick={() => removeNote.mutate(note.id)}>
            Remove
          </button>
        )}
      </span>
    </div>
  );
}

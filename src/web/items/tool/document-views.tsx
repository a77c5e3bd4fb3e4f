import { CircleCheck, Circle } from 'lucide-react';
import type { WebSearchOutput } from '../../../reading/tool-output.ts';
import type { Field, PlanState, Question } from '../../../reading/tool-view.ts';
import { Markdown } from '../../text/markdown-view.tsx';
import { CodeView } from '../code/code-view.tsx';
import { ExternalLink } from '../external-link.tsx';
import styles from './tool.module.css';

export function QuestionsBody({ questions }: { readonly questions: readonly Question[] }) {
  return questions.map(({ question, options, otherAnswer }, index) => (
    <fieldset key={index} className={styles['question']}>
      <legend dir="auto">{question}</legend>
      <ul>
        {options.map(({ label, isChosen }) => (
          <Option key={label} label={label} isChosen={isChosen} />
        ))}
        {otherAnswer !== null && <Option label={otherAnswer} isChosen />}
      </ul>
    </fieldset>
  ));
}

function Option({ label, isChosen }: { readonly label: string; readonly isChosen: boolean }) {
  const Icon = isChosen ? CircleCheck : Circle;
  return (
    <li className={isChosen ? styles['chosen'] : undefined}>
      <Icon size={14} role="img" aria-label={isChosen ? 'chosen' : 'not chosen'} />
      <span dir="auto">{label}</span>
    </li>
  );
}

export function PlanBody({ plan, state }: { readonly plan: string; readonly state: PlanState }) {
  return (
    <article className={styles['document']} aria-label={`Plan, ${state}`}>
      <p className={`${styles['stamp']} ${styles[state]}`}>{state}</p>
      <Markdown text={plan} />
    </article>
  );
}

export function AgentBody({ prompt }: { readonly prompt: string }) {
  return (
    <div className={styles['quote']}>
      <Markdown text={prompt} />
    </div>
  );
}

export function MessageBody({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <div className={styles['document']}>
      <p className={styles['caption']}>to {to}</p>
      <Markdown text={text} />
    </div>
  );
}

export function WebBody({ target, prompt }: { readonly target: string; readonly prompt: string | null }) {
  return (
    <>
      <p>
        <ExternalLink url={target}>{target}</ExternalLink>
      </p>
      {prompt !== null && <p className={styles['quote']}>{prompt}</p>}
    </>
  );
}

export function WebSearchBody({ output: { links, text } }: { readonly output: WebSearchOutput }) {
  return (
    <>
      <ol className={styles['links']}>
        {links.map(({ title, url }, index) => (
          <li key={index}>
            <ExternalLink url={url}>{title}</ExternalLink>
            <span className={styles['caption']}>{domainOf(url)}</span>
          </li>
        ))}
      </ol>
      {text !== '' && (
        <div className={styles['document']}>
          <Markdown text={text} />
        </div>
      )}
    </>
  );
}

function domainOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}

const INLINE_CHARS = 100;

/** Arguments of a tool as a table: short ones in a line, long ones below their name. */
export function FieldsBody({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <dl className={styles['fields']}>
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value.length <= INLINE_CHARS && !value.includes('\n') ? (
              <code>{value}</code>
            ) : (
              <CodeView text={value} language={/^[[{]/.test(value) ? 'json' : null} label={name} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

import { CircleCheck, Circle } from 'lucide-react';
import type { WebSearchOutput } from '../../../reading/tool-output.ts';
import { type AgentFacts, describeAgent } from '../../../reading/parts.ts';
import type { AgentView, Field, Option, PlanState, Question } from '../../../reading/tool-view.ts';
import { Markdown } from '../../text/markdown-view.tsx';
import { CodeView } from '../code/code-view.tsx';
import { ExternalLink } from '../external-link.tsx';
import styles from './tool.module.css';

export function QuestionsBody({ questions }: { readonly questions: readonly Question[] }) {
  return questions.map(({ question, options, otherAnswer, notes }, index) => (
    <fieldset key={index} className={styles['question']}>
      <legend dir="auto">{question}</legend>
      <ul>
        {options.map((option) => (
          <OptionItem key={option.label} {...option} />
        ))}
        {otherAnswer !== null && <OptionItem label={otherAnswer} description={null} isChosen />}
      </ul>
      {notes !== null && (
        <p className={styles['quote']} dir="auto">
          {notes}
        </p>
      )}
    </fieldset>
  ));
}

function OptionItem({ label, description, isChosen }: Option) {
  const Icon = isChosen ? CircleCheck : Circle;
  return (
    <li className={isChosen ? styles['chosen'] : undefined}>
      <Icon size={14} role="img" aria-label={isChosen ? 'chosen' : 'not chosen'} />
      <span dir="auto">
        {label}
        {description !== null && <small className={styles['description']}>{description}</small>}
      </span>
    </li>
  );
}

export function PlanBody({ plan, state }: { readonly plan: string; readonly state: PlanState }) {
  return (
    <article className={`${styles['document']} ${styles['stamped']}`} aria-label={`Plan, ${state}`}>
      <p className={`${styles['stamp']} ${styles[state]}`}>{state}</p>
      <Markdown text={plan} />
    </article>
  );
}

export function AgentBody({ agent: { type, name, traits, prompt } }: { readonly agent: AgentView }) {
  const facts = [type, name, ...traits].filter((fact) => fact !== null && fact !== '');
  return (
    <>
      {facts.length > 0 && <p className={styles['caption']}>{facts.join(' · ')}</p>}
      <div className={styles['quote']}>
        <Markdown text={prompt} />
      </div>
    </>
  );
}

/** The agents that a call started, in a line each. */
export function StartedAgents({ agents }: { readonly agents: readonly AgentFacts[] }) {
  return agents.map((agent) => {
    const { name, facts, state } = describeAgent(agent);
    return (
      <p key={agent.agent_id} className={styles['caption']} data-part="agent">
        {[name, state, facts].filter((part) => part !== '').join(' · ')}
      </p>
    );
  });
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
      <p className={styles['target']}>
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
            <ExternalLink url={url}>{title}</ExternalLink> <span className={styles['caption']}>{domainOf(url)}</span>
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
/** Arguments that are written in sentences. */
const PROSE: ReadonlySet<string> = new Set(['prompt', 'message', 'description', 'reason', 'text', 'body', 'content']);
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['script', 'javascript'],
  ['code', 'javascript'],
  ['function', 'javascript'],
  ['sql', 'sql'],
  ['html', 'xml'],
]);

/** Arguments of a tool as a table: short ones in a line, long ones below their name. */
export function FieldsBody({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <dl className={styles['fields']}>
      {fields.map(({ name, value }) => (
        <div key={name} className={isShort(value) ? undefined : styles['long']}>
          <dt>{name.replaceAll(/[_-]/g, ' ')}</dt>
          <dd>
            <FieldValue name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isShort(value: string): boolean {
  return value.length <= INLINE_CHARS && !value.includes('\n');
}

function FieldValue({ name, value }: Field) {
  if (isShort(value)) return <code>{value}</code>;
  const isJson = /^[[{]/.test(value);
  if (PROSE.has(name) && !isJson)
    return (
      <div className={styles['quote']}>
        <Markdown text={value} />
      </div>
    );
  return <CodeView text={value} language={isJson ? 'json' : (LANGUAGES.get(name) ?? null)} label={name} />;
}

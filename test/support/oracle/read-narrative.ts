/** A narrative parsed into its sentences. Every sentence form of the narrator is listed here. */
export interface NarrativeParts {
  readonly lead: string;
  readonly prompts?: string;
  readonly answer?: string;
  readonly decisions?: string;
  readonly plans?: string;
  readonly reasoning?: string;
  readonly edited?: string;
  readonly tests?: string;
  readonly commits?: string;
  readonly amended?: string;
  readonly unknown?: string;
  readonly commands?: string;
  readonly helpers?: string;
  readonly teams?: string;
  readonly errors?: string;
  readonly open?: string;
}

const Q = '“[^]*?”';
const N = '[\\d,]+';
const END = '[.!?…。！？]?';
const sentence = (name: string, body: string, before = '\\n') => `(?:${before}(?<${name}>${body})${END})?`;

const NARRATIVE = new RegExp(
  `^(?<lead>[^]+?)${END}` +
    sentence('prompts', `(?:Also ${N} prompts?|${N} prompts? in all)(?:, the last)?(?:: ${Q}| without text)`, ' ') +
    sentence('answer', `The last answer: ${Q}`) +
    sentence('decisions', `Decisions: ${Q} → ${Q}(?:; ${Q} → ${Q})*(?:; ${N} more)?`) +
    sentence('plans', `Plans: (?:${N} approved(?:, ${N} rejected)?|${N} rejected)`) +
    sentence('reasoning', `Reasoning: ${Q}(?: / ${Q})?`) +
    sentence('edited', `Edited [^]+?`) +
    sentence('tests', `Tests: [^]+?: ${N} calls?[^]*?`) +
    sentence('commits', `${N} commits?: (?:[0-9a-f]{4,7}(?: ${Q})?|one without output)[^]*?`) +
    sentence('amended', `${N} amended commits?: (?:[0-9a-f]{4,7}(?: ${Q})?|one without output)[^]*?`) +
    sentence('unknown', `${N} calls? of git commit without a known result`) +
    sentence(
      'commands',
      `Commands: [^]+? \\(${N} calls?\\)(?:(?:, | and )[^.“]+? \\(${N} calls?\\))*(?: and ${N} more)?`,
    ) +
    sentence('helpers', `${N} sub-agents?(?:(?:, among them|:) [^]+?)?`) +
    `(?<teams>(?:\\nTeam [^]+?: [^]+?${END})*)` +
    sentence('errors', `Errors: [^]+?`) +
    sentence('open', `Open: [^]+?`) +
    '$',
);

/** Null if the narrative contains an unknown sentence. */
export function readNarrative(text: string): NarrativeParts | null {
  const groups = NARRATIVE.exec(text)?.groups;
  return groups === undefined ? null : (groups as unknown as NarrativeParts);
}

/** The first sentence: its introduction, its quotation, and the outcome. */
export interface Lead {
  readonly intro: string;
  readonly quote: string | null;
  readonly results: readonly string[];
}

const RESULT =
  `${N} files? edited \\(\\+\\d+ −\\d+\\)|answered|interrupted|no answer|${N} files? read|${N} web lookups?|${N} commands? run|` +
  `the last test run (?:passed|failed)|${N} commits?|pushed|pull request \\S*#\\d+ (?:created|linked)|${N} more pull requests?`;
const RESULTS = `(?:${RESULT})(?:(?:, | and )(?:${RESULT}))*`;
const INTRO = '(?:Asked|A sub-agent was asked)(?: to implement the plan)?|Scheduled task';
const LEAD = new RegExp(`^(?:(?<intro>${INTRO}) “(?<quote>[^]*)”: )?(?<results>${RESULTS})$`, 'i');
const FIXED =
  /^(?:No prompts and no answers|No prompts in this session|Only sub-agents worked in this session|The prompts? contains? no text|Only client commands: \/.+|Only commands: ! .+)$/;

export function readLead(lead: string): Lead | null {
  if (FIXED.test(lead)) return { intro: lead, quote: null, results: [] };
  const groups = LEAD.exec(lead)?.groups;
  if (groups === undefined) return null;
  const results = [...(groups['results'] ?? '').matchAll(new RegExp(RESULT, 'gi'))].map(([one]) => one.toLowerCase());
  return { intro: groups['intro'] ?? '', quote: groups['quote'] ?? null, results };
}

export const numberIn = (text: string) => Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN);

/** Every quotation of a sentence; texts that contain quotation marks of this kind are cut at them. */
export const quotesIn = (text: string) => [...text.matchAll(/“([^]*?)”(?=$|[ .;,)])/g)].map(([, quote = '']) => quote);

import { commandText } from '../../domain/client-tags.ts';
import type { BlockRow, MessageRow } from '../../api/answers/transcript.ts';
import { fitWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import { formatTime } from '../../reading/format.ts';
import { injectedBlocks, injectedLabel, injectedText } from '../../reading/message-text.ts';
import type { BranchPoint } from '../../api/answers/structure.ts';
import { paint } from '../terminal.ts';
import { beside, hang, paintLines, proseLines, type View } from './view.ts';

const MARGIN = '  ';

/** Which of several continuations of one point a turn is. */
export interface Branch {
  readonly number: number;
  readonly count: number;
  readonly isCurrent: boolean;
}

/** The branches of a session by the turn that begins each. */
export function branchesByTurn(points: readonly BranchPoint[]): ReadonlyMap<string, Branch> {
  return new Map(
    points.flatMap(({ turn_ids, current_turn_id }) =>
      turn_ids.map((turn, at): [string, Branch] => [
        turn,
        { number: at + 1, count: turn_ids.length, isCurrent: turn === current_turn_id },
      ]),
    ),
  );
}

/** What somebody asked for, under a line that says who and when. */
export function renderPrompt(view: View, message: MessageRow, branch: Branch | undefined): string[] {
  const inner = beside(view, MARGIN.length);
  const body = proseLines(inner, promptText(message));
  const extras = message.content_blocks
    .filter(({ block_type }) => block_type !== 'text' && block_type !== 'injected')
    .map(({ block_type }) => `[${visibleLine(block_type)}]`);
  const injected = injectedBlocks(message).flatMap((block) => injectedLines(inner, block));
  const lines = body.length === 1 && body[0] === '' ? [] : body;
  return [
    ...(branch === undefined ? [] : [branchLine(view, branch)]),
    headOf(view, message),
    ...hang([...lines, ...paintLines(inner, 'dim', [...extras, ...injected])], MARGIN, MARGIN),
  ];
}

function branchLine({ terminal, columns }: View, { number, count, isCurrent }: Branch): string {
  const what = isCurrent ? 'the one that went on' : 'left aside';
  return paint(terminal, 'yellow', fitWidth(`⑂ branch ${number} of ${count}: ${what}`, columns));
}

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['agent_prompt', 'Task'],
  ['teammate', 'Teammate'],
]);

function headOf(view: View, { origin, timestamp }: MessageRow): string {
  const who = OTHERS.get(origin) ?? 'You';
  return `${paint(view.terminal, 'cyan', `❯ ${who}`)}${MARGIN}${paint(view.terminal, 'dim', formatTime(timestamp))}`.trimEnd();
}

/** What was put into a prompt is named; its text is shown when everything is asked for. */
function injectedLines(view: View, block: BlockRow): readonly string[] {
  const head = `[${visibleLine(injectedLabel(block))}]`;
  return view.isFull ? [head, ...proseLines(view, injectedText(block))] : [head];
}

export function textOf({ content_blocks }: MessageRow): string {
  return content_blocks
    .filter(({ block_type }) => block_type !== 'injected')
    .map(({ content_text }) => content_text ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A command as it was typed, without the marks that the client puts around it. */
function promptText(message: MessageRow): string {
  const text = textOf(message);
  return message.origin === 'bash_input' || message.origin === 'command' ? commandText(text) : text;
}

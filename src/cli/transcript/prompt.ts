import { fitWidth } from '../../lib/text-width.ts';
import { visibleLine } from '../../lib/visible.ts';
import type { EntryOf } from '../../reading/entry.ts';
import { formatTime } from '../../reading/format.ts';
import { branchText } from '../../reading/parts.ts';
import { paint } from '../terminal.ts';
import { beside, hang, paintLines, proseLines, type View } from './view.ts';

const MARGIN = '  ';

/** A prompt or a command, below a line with its author and time. */
export function renderPrompt(view: View, entry: EntryOf<'prompt' | 'command'>): string[] {
  const inner = beside(view, MARGIN.length);
  const extras = entry.kind === 'prompt' ? extraLines(inner, entry) : [];
  const body = entry.text.trim() === '' ? [] : proseLines(inner, entry.text);
  const branch = entry.branch === null ? [] : [fitWidth(`⑂ ${branchText(entry.branch)}`, view.columns)];
  return [
    ...paintLines(view, 'yellow', branch),
    headOf(view, entry),
    ...hang([...body, ...paintLines(inner, 'dim', extras)], MARGIN, MARGIN),
  ];
}

function headOf({ terminal }: View, entry: EntryOf<'prompt' | 'command'>): string {
  const who = paint(terminal, 'cyan', `❯ ${entry.kind === 'prompt' ? entry.speaker : 'You'}`);
  return `${who}${MARGIN}${paint(terminal, 'dim', formatTime(entry.message.timestamp))}`.trimEnd();
}

/** Injected text is named, and printed only on request. */
function extraLines(view: View, { media, injected }: EntryOf<'prompt'>): readonly string[] {
  const named = injected.flatMap(({ label, text }) => {
    const head = `[${visibleLine(label)}]`;
    return view.isFull ? [head, ...proseLines(view, text)] : [head];
  });
  return [...media.map(visibleLine), ...named];
}

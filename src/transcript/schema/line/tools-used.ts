import { opt, strs } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ToolsUsedLineSchema = stateLine('tools-used', 'Names of the tools used so far; the last one holds.', {
  tools: opt(strs),
});

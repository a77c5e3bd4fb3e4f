import { word } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const ModeLineSchema = stateLine('mode', 'Input mode; the last one holds.', {
  mode: word('normal'),
});

import { num, opt, str } from '../kit.ts';
import { stateLine } from './state-line.ts';

export const BridgeSessionLineSchema = stateLine('bridge-session', 'Remote-control session this one is bridged to.', {
  bridgeSessionId: opt(str),
  lastSequenceNum: opt(num),
});

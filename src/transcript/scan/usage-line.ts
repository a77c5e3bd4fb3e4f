import type { ByteCursor } from './byte-cursor.ts';

/** Set on a message by its usage: what changes its price. */
export const FAST = 1;
export const BATCH = 2;
export const US_ONLY = 4;

const key = (name: string): Uint8Array => new TextEncoder().encode(name);
const KEYS = {
  type: key('type'),
  data: key('data'),
  message: key('message'),
  requestId: key('requestId'),
  timestamp: key('timestamp'),
  sessionId: key('sessionId'),
  processSessionId: key('session_id'),
  forkedFrom: key('forkedFrom'),
  isSidechain: key('isSidechain'),
  isApiErrorMessage: key('isApiErrorMessage'),
  id: key('id'),
  model: key('model'),
  usage: key('usage'),
  input: key('input_tokens'),
  output: key('output_tokens'),
  cacheRead: key('cache_read_input_tokens'),
  cacheWrite: key('cache_creation_input_tokens'),
  cacheTiers: key('cache_creation'),
  write5m: key('ephemeral_5m_input_tokens'),
  write1h: key('ephemeral_1h_input_tokens'),
  serviceTier: key('service_tier'),
  speed: key('speed'),
  inferenceGeo: key('inference_geo'),
  serverTools: key('server_tool_use'),
  webSearches: key('web_search_requests'),
} as const;
const WORDS = {
  assistant: key('assistant'),
  progress: key('progress'),
  agentProgress: key('agent_progress'),
  fast: key('fast'),
  batch: key('batch'),
  us: key('us'),
} as const;

/** A string of the line as a byte range; `end` is 0 when the line has none. */
export interface TextRange {
  at: number;
  end: number;
}

/** What one record says about usage. One object is filled again for every line. */
export class UsageLine {
  isAssistant = false;
  isProgress = false;
  isAgentProgress = false;
  isSidechain = false;
  isApiError = false;
  isForked = false;
  hasUsage = false;
  readonly id: TextRange = { at: 0, end: 0 };
  readonly requestId: TextRange = { at: 0, end: 0 };
  readonly model: TextRange = { at: 0, end: 0 };
  readonly sessionId: TextRange = { at: 0, end: 0 };
  readonly processSessionId: TextRange = { at: 0, end: 0 };
  readonly timestamp: TextRange = { at: 0, end: 0 };
  input = 0;
  output = 0;
  cacheRead = 0;
  /** All cache writes; -1 when the line does not say. */
  cacheWrite = -1;
  write5m = 0;
  write1h = 0;
  webSearches = 0;
  marks = 0;

  clear(): void {
    this.isAssistant = false;
    this.isProgress = false;
    this.isAgentProgress = false;
    this.isSidechain = false;
    this.isApiError = false;
    this.isForked = false;
    this.requestId.end = 0;
    this.sessionId.end = 0;
    this.processSessionId.end = 0;
    this.timestamp.end = 0;
    this.clearMessage();
  }

  clearMessage(): void {
    this.id.end = 0;
    this.model.end = 0;
    this.hasUsage = false;
  }

  clearUsage(): void {
    this.hasUsage = false;
    this.input = 0;
    this.output = 0;
    this.cacheRead = 0;
    this.cacheWrite = -1;
    this.write5m = 0;
    this.write1h = 0;
    this.webSearches = 0;
    this.marks = 0;
  }
}

/**
 * Reads the record at the cursor into `line`, and the message inside an agent_progress record into `inner`, whatever the
 * order of the keys. The cursor is then behind the record, or broken.
 */
export function readRecord(cursor: ByteCursor, line: UsageLine, inner: UsageLine): void {
  line.clear();
  inner.clear();
  if (!cursor.enterObject()) {
    cursor.broken = true;
    return;
  }
  while (cursor.nextKey()) {
    if (cursor.keyIs(KEYS.data)) readData(cursor, line, inner);
    else readEnvelopeField(cursor, line);
  }
}

/** The fields of a line, or of the line that an agent_progress record wraps. */
function readEnvelopeField(cursor: ByteCursor, line: UsageLine): void {
  switch (cursor.keyLength) {
    case 4:
      if (cursor.keyIs(KEYS.type) && cursor.isAtString()) readType(cursor, line);
      else cursor.skipValue();
      return;
    case 7:
      if (cursor.keyIs(KEYS.message)) readMessage(cursor, line);
      else cursor.skipValue();
      return;
    case 9:
      if (cursor.keyIs(KEYS.requestId)) readRange(cursor, line.requestId);
      else if (cursor.keyIs(KEYS.timestamp)) readRange(cursor, line.timestamp);
      else if (cursor.keyIs(KEYS.sessionId)) readRange(cursor, line.sessionId);
      else cursor.skipValue();
      return;
    case 10:
      if (cursor.keyIs(KEYS.forkedFrom)) line.isForked = cursor.isAtObject();
      if (cursor.keyIs(KEYS.processSessionId)) readRange(cursor, line.processSessionId);
      else cursor.skipValue();
      return;
    case 11:
      if (cursor.keyIs(KEYS.isSidechain)) line.isSidechain = cursor.isAtTrue();
      cursor.skipValue();
      return;
    case 17:
      if (cursor.keyIs(KEYS.isApiErrorMessage)) line.isApiError = cursor.isAtTrue();
      cursor.skipValue();
      return;
    default:
      cursor.skipValue();
  }
}

function readType(cursor: ByteCursor, line: UsageLine): void {
  cursor.readText();
  line.isAssistant = cursor.textIs(WORDS.assistant);
  line.isProgress = cursor.textIs(WORDS.progress);
}

function readRange(cursor: ByteCursor, range: TextRange): void {
  if (!cursor.isAtString()) {
    range.end = 0;
    cursor.skipValue();
    return;
  }
  cursor.readText();
  range.at = cursor.textAt;
  range.end = cursor.textEnd;
}

function readData(cursor: ByteCursor, line: UsageLine, inner: UsageLine): void {
  inner.clear();
  line.isAgentProgress = false;
  if (!cursor.isAtObject()) {
    cursor.skipValue();
    return;
  }
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs(KEYS.type) && cursor.isAtString()) {
      cursor.readText();
      line.isAgentProgress = cursor.textIs(WORDS.agentProgress);
    } else if (cursor.keyIs(KEYS.message) && cursor.isAtObject()) {
      inner.clear();
      cursor.enterObject();
      while (cursor.nextKey()) readEnvelopeField(cursor, inner);
    } else cursor.skipValue();
  }
}

function readMessage(cursor: ByteCursor, line: UsageLine): void {
  line.clearMessage();
  if (!cursor.isAtObject()) {
    cursor.skipValue();
    return;
  }
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyLength === 2 && cursor.keyIs(KEYS.id)) readRange(cursor, line.id);
    else if (cursor.keyLength === 5 && cursor.keyIs(KEYS.model)) readRange(cursor, line.model);
    else if (cursor.keyLength === 5 && cursor.keyIs(KEYS.usage)) readUsage(cursor, line);
    else cursor.skipValue();
  }
}

function readUsage(cursor: ByteCursor, line: UsageLine): void {
  line.clearUsage();
  if (!cursor.isAtObject()) {
    cursor.skipValue();
    return;
  }
  cursor.enterObject();
  while (cursor.nextKey()) readUsageField(cursor, line);
}

function readUsageField(cursor: ByteCursor, line: UsageLine): void {
  switch (cursor.keyLength) {
    case 5:
      if (cursor.keyIs(KEYS.speed)) readMark(cursor, line, WORDS.fast, FAST);
      else cursor.skipValue();
      return;
    case 12:
      if (cursor.keyIs(KEYS.input)) line.input = cursor.readCount();
      else if (cursor.keyIs(KEYS.serviceTier)) readMark(cursor, line, WORDS.batch, BATCH);
      else cursor.skipValue();
      return;
    case 13:
      if (cursor.keyIs(KEYS.output)) {
        line.output = cursor.readCount();
        line.hasUsage = true;
      } else if (cursor.keyIs(KEYS.inferenceGeo)) readMark(cursor, line, WORDS.us, US_ONLY);
      else cursor.skipValue();
      return;
    case 14:
      if (cursor.keyIs(KEYS.cacheTiers)) readCacheTiers(cursor, line);
      else cursor.skipValue();
      return;
    case 15:
      if (cursor.keyIs(KEYS.serverTools)) readServerTools(cursor, line);
      else cursor.skipValue();
      return;
    case 23:
      if (cursor.keyIs(KEYS.cacheRead)) line.cacheRead = cursor.readCount();
      else cursor.skipValue();
      return;
    case 27:
      if (cursor.keyIs(KEYS.cacheWrite)) line.cacheWrite = cursor.readCount();
      else cursor.skipValue();
      return;
    default:
      cursor.skipValue();
  }
}

function readMark(cursor: ByteCursor, line: UsageLine, word: Uint8Array, mark: number): void {
  line.marks &= ~mark;
  if (!cursor.isAtString()) {
    cursor.skipValue();
    return;
  }
  cursor.readText();
  if (cursor.textIs(word)) line.marks |= mark;
}

function readCacheTiers(cursor: ByteCursor, line: UsageLine): void {
  line.write5m = 0;
  line.write1h = 0;
  if (!cursor.isAtObject()) {
    cursor.skipValue();
    return;
  }
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs(KEYS.write5m)) line.write5m = cursor.readCount();
    else if (cursor.keyIs(KEYS.write1h)) line.write1h = cursor.readCount();
    else cursor.skipValue();
  }
}

function readServerTools(cursor: ByteCursor, line: UsageLine): void {
  line.webSearches = 0;
  if (!cursor.isAtObject()) {
    cursor.skipValue();
    return;
  }
  cursor.enterObject();
  while (cursor.nextKey()) {
    if (cursor.keyIs(KEYS.webSearches)) line.webSearches = cursor.readCount();
    else cursor.skipValue();
  }
}

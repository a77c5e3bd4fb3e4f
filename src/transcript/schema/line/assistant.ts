import { z } from 'zod';
import { chainFields } from '../envelope.ts';
import { anything, bool, fields, named, num, opt, str, word } from '../kit.ts';
import { assistantMessage } from '../message.ts';

const errorFields = {
  isApiErrorMessage: opt(bool),
  error: opt(
    word(
      'unknown',
      'rate_limit',
      'invalid_request',
      'authentication_failed',
      'billing_error',
      'server_error',
      'max_output_tokens',
    ),
  ),
  apiError: opt(str),
  apiErrorStatus: opt(z.union([num, str])),
  apiErrorType: opt(str),
  errorDetails: opt(anything),
  isAbortedMidStream: opt(bool),
  failedResponseHadNoToolCall: opt(bool),
};

const originFields = {
  attributionAgent: opt(str),
  attributionSkill: opt(str),
  attributionPlugin: opt(str),
  attributionMcpServer: opt(str),
  attributionMcpTool: opt(str),
  madeBy: opt(word('model', 'other', 'input')),
};

/** Auto mode: the request sent to a classifier on the server, and what it changed. */
const classifierFields = {
  serverClassifierRequest: opt(str),
  serverClassifierResults: opt(anything),
  serverClassifierReviewLeftBehind: opt(anything),
  serverClassifierInputRewritten: opt(bool),
  serverClassifierOwnInputRewritten: opt(bool),
  serverClassifierRewrite: opt(anything),
};

const requestFields = {
  requestId: opt(str),
  requestRef: opt(str),
  requestedModel: opt(str),
  apiBlockIndex: opt(num),
  effort: opt(word('minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  perTurnEffort: opt(anything),
  promptCacheRequested: opt(anything),
  thinkingDisplay: opt(word('omitted', 'updates')),
  thinkingDurationMs: opt(num),
  toolInputStreamMs: opt(num),
  ...classifierFields,
  /** Dollars, 0.2.x to 1.0.1 only. */
  costUSD: opt(num),
  durationMs: opt(num),
};

export const AssistantLineSchema = named(
  'assistant',
  'One block of an answer; lines of one answer share message.id.',
  fields({
    type: z.literal('assistant'),
    ...chainFields,
    ...requestFields,
    ...errorFields,
    ...originFields,
    message: assistantMessage,
  }),
);

/**
 * One model goes by many names: with a date, with the prefix and version of a cloud provider, with a context marker.
 * Only decoration is taken off; a name that is then in no row stays unknown, since a guessed price is a wrong one.
 */

/** What the client writes where no model answered. */
const SYNTHETIC_MODEL = '<synthetic>';

const CONTEXT_MARK = /\[1m\]$/;
/** `arn:aws:bedrock:…/us.anthropic.x`, `publishers/anthropic/models/x`, `anthropic/x`, `bedrock/x`, `vertex_ai/x` */
const PROVIDER_PATH = /^(?:arn:aws[\w-]*:bedrock:.*\/|(?:.*\/)?anthropic\/(?:models\/)?|bedrock\/|vertex_ai\/)/;
/** Bedrock: `anthropic.x`, `us.anthropic.x`, `global.anthropic.x` */
const BEDROCK_PREFIX = /^(?:[a-z-]{2,8}\.)?anthropic\./;
/** Bedrock: `x-v1`, `x-v2:0` */
const BEDROCK_VERSION = /-v\d+(?::\d+)?$/;
/** Vertex: `x@20251101`, `x@default` */
const VERTEX_DATE = /@(\d{8})$/;
const VERTEX_DEFAULT = /@(?:default|latest)$/;
/** OpenRouter: `claude-sonnet-4.5` */
const DOTTED_VERSION = /(\d)\.(\d)/g;
const DATE = /-20\d{6}$/;

/** True where there is nothing to price, as opposed to a model whose price is not known. */
export function isNoModel(model: string): boolean {
  return model === SYNTHETIC_MODEL || model === '';
}

/** The names to look for, most exact first. */
export function namesOf(model: string): readonly string[] {
  const plain = model
    .replace(CONTEXT_MARK, '')
    .replace(PROVIDER_PATH, '')
    .replace(BEDROCK_PREFIX, '')
    .replace(BEDROCK_VERSION, '')
    .replace(VERTEX_DATE, '-$1')
    .replace(VERTEX_DEFAULT, '')
    .replace(DOTTED_VERSION, '$1-$2');
  return [model, plain, plain.replace(DATE, '')];
}

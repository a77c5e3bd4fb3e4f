import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { SessionFilters } from '../../../api/sessions.ts';
import type { HasWord } from '../../../domain/session-words.ts';
import { NANOS_PER_DOLLAR } from '../../../domain/usage.ts';
import type { Engine } from '../../engine.ts';
import type { Database } from '../../rows.ts';
import { cleanText } from '../../text.ts';
import { IS_PROMPTED, IS_SESSION, SESSION_HAS, SESSION_IS } from './session-facts.ts';

type Sessions = ExpressionBuilder<Database & { s: Database['sessions'] }, 's'>;
type Condition = Expression<SqlBool>;

const HAS: Readonly<Record<HasWord, Condition>> = {
  ...SESSION_HAS,
  error: SESSION_HAS.toolError,
  api_error: SESSION_HAS.apiError,
};

/** All conditions on rows of the list, except the cursor. */
export function sessionConditions(eb: Sessions, query: SessionFilters): Condition[] {
  const given: (Condition | undefined)[] = [
    query.all === true ? IS_SESSION : IS_PROMPTED,
    query.lifecycle?.length ? eb('s.lifecycle', 'in', [...query.lifecycle]) : undefined,
    query.parse_status?.length ? eb('s.parse_status', 'in', [...query.parse_status]) : undefined,
    query.workspace_id === undefined ? undefined : eb('s.workspace_id', '=', query.workspace_id),
    query.device_id === undefined ? undefined : eb('s.device_id', '=', query.device_id),
    query.after === undefined ? undefined : eb('s.started_at', '>=', query.after),
    query.before === undefined ? undefined : eb('s.started_at', '<', query.before),
    query.ended_after === undefined ? undefined : eb('s.ended_at', '>=', query.ended_after),
    query.ended_before === undefined ? undefined : eb('s.ended_at', '<', query.ended_before),
    query.branch === undefined ? undefined : eb('s.git_branch', '=', cleanText(query.branch)),
    query.model === undefined ? undefined : usedModel(query.model),
    query.tag === undefined ? undefined : hasTag(query.tag),
    query.speed === undefined ? undefined : hasName(sql`s.speeds`, query.speed),
    query.tier === undefined ? undefined : hasName(sql`s.service_tiers`, query.tier),
    query.min_cost === undefined ? undefined : eb('s.cost_nanos', '>=', toNanos(query.min_cost)),
    query.max_cost === undefined ? undefined : eb('s.cost_nanos', '<=', toNanos(query.max_cost)),
    ...(query.has ?? []).map((word) => HAS[word]),
    ...(query.is ?? []).map((word) => SESSION_IS[word]),
  ];
  return given.filter((condition) => condition !== undefined);
}

const toNanos = (dollars: number) => Math.round(dollars * NANOS_PER_DOLLAR);

/** Tags are case-insensitive. */
function hasTag(tag: string): Condition {
  const wanted = cleanText(tag.normalize('NFC').trim().toLowerCase());
  return sql<boolean>`EXISTS (SELECT 1 FROM session_tags t WHERE t.session_id = s.id AND t.tag = ${wanted})`;
}

/** A model name with this prefix: both engines store the list as JSON, where every name starts with a quote. */
function usedModel(beginning: string): Condition {
  return contains(sql`CAST(s.models AS TEXT)`, sql.val(JSON.stringify(cleanText(beginning)).slice(0, -1)));
}

/** A name in a list that both engines store as JSON. */
function hasName(list: Expression<unknown>, name: string): Condition {
  return contains(sql`CAST(${list} AS TEXT)`, sql.val(JSON.stringify(cleanText(name))));
}

/** The title contains the text, ignoring the case of A to Z. */
export function titleContains(engine: Engine, text: string): Condition {
  return contains(engine.lower(sql`s.title`), engine.lower(sql`CAST(${cleanText(text)} AS TEXT)`));
}

/** A substring test that both engines support: removing the substring changes the text. */
function contains(whole: Expression<string>, part: Expression<string>): Condition {
  return sql<boolean>`replace(${whole}, ${part}, '') <> ${whole}`;
}

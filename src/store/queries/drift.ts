import type { Tx } from '../engine.ts';

export interface UnknownShapeRow {
  readonly what: string;
  readonly name: string;
  readonly cc_version: string;
  readonly count: number;
  readonly sessions: number;
}

const MAX_SHAPES = 2_000;

/** What current transcripts hold that the reader does not know, most frequent first. */
export async function readDrift(db: Tx): Promise<readonly UnknownShapeRow[]> {
  return db
    .selectFrom('unknown_shapes as u')
    .innerJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 'u.session_id').onRef('s.revision', '=', 'u.revision'),
    )
    .select(['u.what', 'u.name', 'u.cc_version'])
    .select(({ fn, cast }) => [
      cast<number>(fn.sum('u.count'), 'bigint').as('count'),
      fn.count<number>('u.session_id').distinct().as('sessions'),
    ])
    .groupBy(['u.what', 'u.name', 'u.cc_version'])
    .orderBy('count', 'desc')
    .orderBy('u.what')
    .orderBy('u.name')
    .orderBy('u.cc_version')
    .limit(MAX_SHAPES)
    .execute();
}

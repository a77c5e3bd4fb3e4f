/** Something in transcripts that the schemas do not know, in one client version. */
export interface UnknownShapeRow {
  readonly what: string;
  readonly name: string;
  readonly cc_version: string;
  readonly count: number;
  readonly sessions: number;
}

export interface VersionDriftRow {
  readonly cc_version: string;
  readonly records: number;
  readonly known: number;
  readonly pass_rate: number | null;
  readonly sessions: number;
}

/** How much of the transcripts this version of fuel-code knows. */
export interface DriftAnswer {
  readonly records: number;
  readonly known: number;
  /** `known / records`; null where nothing was checked. */
  readonly pass_rate: number | null;
  /** Newest version first. */
  readonly versions: readonly VersionDriftRow[];
  readonly shapes: readonly UnknownShapeRow[];
}

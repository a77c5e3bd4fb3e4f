/** What a session is in a team of agents. */
export interface TeamPlace {
  readonly team_name: string;
  /** Its own name; `team-lead`, or null, for the lead. */
  readonly agent_name: string | null;
  /** Null for the lead itself, and where the lead is unknown. */
  readonly lead_session_id: string | null;
}

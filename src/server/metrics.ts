import type { StatusReport } from '../api/server.ts';

/** Counts requests since the server started. */
export interface Metrics {
  count(request: { readonly route: string; readonly status: number; readonly seconds: number }): void;
  /** The text format of Prometheus. */
  render(now: { readonly status: StatusReport; readonly liveStreams: number; readonly version: string }): string;
}

interface Tally {
  requests: number;
  seconds: number;
}

/** The number of lines is bounded: there are few routes, and statuses are grouped by class. */
export function createMetrics(): Metrics {
  const tallies = new Map<string, Tally>();
  return {
    count: ({ route, status, seconds }) => {
      const key = `route="${route}",status="${Math.floor(status / 100)}xx"`;
      const tally = tallies.get(key) ?? { requests: 0, seconds: 0 };
      tally.requests += 1;
      tally.seconds += seconds;
      tallies.set(key, tally);
    },
    render: ({ status, liveStreams, version }) =>
      [
        `fuel_code_info{version="${version}",mode="${status.mode}"} 1`,
        `fuel_code_sessions ${status.sessions}`,
        `fuel_code_messages ${status.messages}`,
        `fuel_code_files ${status.files}`,
        `fuel_code_archived_bytes ${status.archived_bytes}`,
        `fuel_code_stored_bytes ${status.stored_bytes}`,
        `fuel_code_sessions_to_index ${status.import.sessions_to_index}`,
        `fuel_code_live_streams ${liveStreams}`,
        ...[...tallies].map(([key, { requests }]) => `fuel_code_requests_total{${key}} ${requests}`),
        ...[...tallies].map(([key, { seconds }]) => `fuel_code_request_seconds_total{${key}} ${seconds.toFixed(6)}`),
        '',
      ].join('\n'),
  };
}

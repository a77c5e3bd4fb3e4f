import { asObject, asText } from '../read/json.ts';
import type { NeedsWhole } from '../read/read-record.ts';

/** Which lines that look bulky are read after all: those whose long texts are somebody's words. */
export function needsWholeOf(agentsWithFile: ReadonlySet<string>): NeedsWhole {
  return (record) => {
    switch (record['type']) {
      case 'user':
        return record['toolUseResult'] === undefined;
      case 'progress': {
        const data = asObject(record['data']);
        return data?.['type'] === 'agent_progress' && !agentsWithFile.has(asText(data['agentId']) ?? '');
      }
      case 'attachment':
        return asObject(record['attachment'])?.['type'] === 'queued_command';
      case 'api-request-shape':
      case 'api-request-blob':
        return false;
      default:
        return true;
    }
  };
}

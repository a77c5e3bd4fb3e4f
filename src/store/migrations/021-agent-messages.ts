import type { Migration } from '../migrate.ts';

/** The messages of one sub-agent are found without reading those of all others. */
export const agentMessages: Migration = {
  version: 21,
  name: 'agent-messages',
  statements: () => [
    'CREATE INDEX messages_by_agent ON transcript_messages (session_id, revision, agent_id, ordinal) WHERE agent_id IS NOT NULL',
  ],
};

import type { Config } from '../config.ts';
import type { RepositoryActivity } from '../domain/git.ts';
import type { JsonObject } from '../domain/transcript.ts';
import type { IngestMasks } from '../ingest/intake.ts';
import { type Masking, type MaskingDeps, maskOfShared, masksOf } from '../pipeline/masking.ts';
import type { SecretMask } from '../redact/mask-secrets.ts';

/** How secrets are masked in the database; `redact` adds the user's own texts. */
export function openMasking({ redact, maskSecrets }: Pick<Config, 'redact' | 'maskSecrets'>): Masking {
  const open = async () => (await import('../redact/mask-secrets.ts')).createSecretMask(redact);
  return { isForAll: maskSecrets, open };
}

/** Masks secrets in what hooks and other devices send. */
export function ingestMasks(deps: MaskingDeps): IngestMasks {
  return {
    events: async (events) => {
      const masks = await masksOf(
        deps,
        events.map(({ session_id }) => session_id),
      );
      return events.map((event) => ({ ...event, data: masks.get(event.session_id)?.json(event.data) ?? event.data }));
    },
    git: async (items) => {
      const mask = await maskOfShared(deps);
      if (mask === null) return items;
      return items.map((item) => (item.kind === 'activity' ? maskActivity(mask, item) : item));
    },
  };
}

/** The same for commits that are read from the repositories of this machine. */
export async function maskRepositories(
  deps: MaskingDeps,
  repositories: readonly RepositoryActivity[],
): Promise<readonly RepositoryActivity[]> {
  if (repositories.length === 0) return [];
  const mask = await maskOfShared(deps);
  if (mask === null) return repositories;
  return repositories.map(({ activities, ...repository }) => ({
    ...repository,
    activities: activities.map((activity) => maskActivity(mask, activity)),
  }));
}

function maskActivity<T extends { readonly message: string | null; readonly data: object }>(
  mask: SecretMask,
  activity: T,
): T {
  return {
    ...activity,
    message: activity.message && mask.text(activity.message),
    data: mask.json(activity.data as JsonObject),
  };
}

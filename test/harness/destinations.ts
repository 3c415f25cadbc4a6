/** Destinations for jobs whose settings are the matter of a test: webhooks must name some that exist. */
import type { Kysely } from 'kysely';
import type { Database } from '../../storage/postgres/schema.ts';

export const knownDestinations = [0, 1, 2, 3].map((index) => `00000000-0000-4000-8000-00000000000${index}`);

/** Stores them. Nothing is ever sent there. */
export async function addDestinations(db: Kysely<Database>): Promise<void> {
  await db
    .insertInto('destinations')
    .values(
      knownDestinations.map((id, index) => ({
        destination_id: id,
        display_name: `desk ${index}`,
        target: JSON.stringify({ kind: 'SLACK', url: 'https://chat.invalid/' }),
        secrets: null,
        created_time: 1,
      })),
    )
    .execute();
}

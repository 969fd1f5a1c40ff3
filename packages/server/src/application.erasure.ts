/** Stored files of one client, of every feature that stores some: they are removed when its data is erased. */
import { sql } from 'kysely';
import type { Tx } from './core/db/scope.ts';
import { manifestKey } from './domain/events/archiveKeys.ts';
import { collectedKey } from './features/agents/agents.register.ts';
import { exportKey } from './features/events/events.register.ts';
import { jobReportKey } from './features/reports/reports.register.ts';
import { pictureKey } from './features/users/users.register.ts';

interface Keys {
  users: number[];
  collected: number[];
  jobs: number[];
  attachments: string[];
  exports: { id: number; parts: number }[];
  archive: string[];
}

/** In the portal’s own scope. */
export async function filesOfClient(tx: Tx, organisationId: number): Promise<string[]> {
  const { rows } = await sql<Keys>`
    select array(select u.id from users u where u.organisation_id = ${organisationId} and u.picture_version is not null) as users,
      array(select c.task_id from collected_files c where c.organisation_id = ${organisationId}) as collected,
      array(select j.id from report_jobs j where ${organisationId} = any (j.clients)) as jobs,
      array(select f ->> 'key' from mails m cross join jsonb_array_elements(m.attachments) f where m.organisation_id = ${organisationId}) as attachments,
      array(select jsonb_build_object('id', e.id, 'parts', e.parts) from event_exports e where ${organisationId} = any (e.organisation_ids)) as exports,
      array(with files as (
          select key, day from archive_files where organisation_id = ${organisationId}
          union select key, day from archive_writes where organisation_id = ${organisationId}
        ) select key from files union select ${manifestKey(organisationId, '')} || day::text || '.json' from files) as archive`.execute(
    tx,
  );
  const { users, collected, jobs, attachments, exports, archive } = rows[0]!;
  return [
    ...users.map(pictureKey),
    ...collected.map((id) => collectedKey({ organisationId, id })),
    ...jobs.map((id) => jobReportKey(id, organisationId)),
    ...attachments,
    ...exports.flatMap(({ id, parts }) => Array.from({ length: parts }, (_, part) => exportKey(id, part))),
    ...archive,
  ];
}

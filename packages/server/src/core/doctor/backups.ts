/** Age of the last backup: of the embedded database as the portal recorded it, otherwise of PostgreSQL's archive. */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type Finding, ok, problem, spanOf, warning } from './report.ts';

const check = 'Backup';

export async function checkBackups(client: pg.Client, { config, clock }: { config: Config; clock: Clock }): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return [await archiveOf(client, clock)];
  if (!config.backup)
    return [
      config.isDemo
        ? ok(check, 'not configured (demo).')
        : warning(check, 'not configured. Set BACKUP_DIR or BACKUP_S3_…, and BACKUP_KEY: docs/operating.md, "Backup".'),
    ];
  const { rows } = await client.query<{ kind: 'base' | 'verification'; ended_at: Date; error: string }>(
    'select kind, ended_at, error from backup_runs order by id desc',
  );
  const { rows: states } = await client.query<{ archived_until: Date | null; error: string }>(
    'select archived_until, error from backup_state',
  );
  const findings: Finding[] = [];
  const error = states[0]?.error;
  if (error) findings.push(problem(check, `the last attempt failed: ${error} docs/runbook.md has what to do.`));
  const lastOf = (kind: string) => rows.find((run) => run.kind === kind && run.error === '')?.ended_at.getTime();
  findings.push(baseOf(lastOf('base'), clock.now()));
  const verification = rows.find(({ kind }) => kind === 'verification');
  if (verification?.error)
    findings.push(problem('Trial restore', `the last one failed: ${verification.error} Take a new base backup: npm run backup.`));
  const verifiedAt = lastOf('verification');
  if (verifiedAt !== undefined) findings.push(trialOf(clock.now() - verifiedAt));
  const until = states[0]?.archived_until?.getTime();
  if (until !== undefined && clock.now() - until > hourMs / 4)
    findings.push(
      warning('Archived log', `reaches to ${spanOf(clock.now() - until)} ago. Is a process with the role worker running?`),
    );
  return findings;
}

function baseOf(endedAt: number | undefined, now: number): Finding {
  if (endedAt === undefined) return problem(check, 'no base backup yet. Start the portal, or run npm run backup.');
  const text = `last base backup ${spanOf(now - endedAt)} ago`;
  return now - endedAt > 48 * hourMs ? problem(check, `${text}. Look into the log of the worker.`) : ok(check, `${text}.`);
}

const trialOf = (age: number): Finding =>
  age > 15 * dayMs
    ? warning('Trial restore', `last one ${spanOf(age)} ago; one a week is due.`)
    : ok('Trial restore', `last one ${spanOf(age)} ago.`);

/** State of archive_command; a snapshot or a receiver elsewhere is not seen from here. */
async function archiveOf(client: pg.Client, clock: Clock): Promise<Finding> {
  const { rows } = await client.query<{ mode: string; archived: Date | null; failed: Date | null }>(
    `select current_setting('archive_mode') as mode, last_archived_time as archived, last_failed_time as failed from pg_stat_archiver`,
  );
  const { mode = 'off', archived, failed } = rows[0] ?? {};
  if (mode === 'off')
    return warning(
      check,
      'archive_mode is off, so this check sees no backup. Verify that your PostgreSQL is backed up otherwise.',
    );
  if (failed && failed.getTime() > (archived?.getTime() ?? 0))
    return problem(
      check,
      `archive_command failed ${spanOf(clock.now() - failed.getTime())} ago. Look into the log of PostgreSQL.`,
    );
  return archived
    ? ok(check, `log archived ${spanOf(clock.now() - archived.getTime())} ago.`)
    : warning(check, 'no log archived yet. Check archive_command.');
}

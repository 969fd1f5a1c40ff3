/**
 * A case as one signed archive (docs/case-archive.md): its files, a manifest with the SHA-256 of each, and an Ed25519 signature of the manifest by the
 * installation's key for archives.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { type AsyncZipOptions, type AsyncZippable, zip } from 'fflate';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import { readAlertEventIds, readAlertEvents } from '../../domain/alertEvents.ts';
import { storyText } from '../../domain/story.ts';
import { shownName, visible } from '../../domain/visibility.ts';
import type { Member } from './cases.detail.store.ts';

/** Evidence events per alert, and of the archive in bytes; the manifest counts what was left out. */
const eventsPerAlert = 50;
const alertsPerRead = 20;
const maxEvidenceBytes = 32 * 1024 * 1024;
const maxAuditEntries = 5_000;

interface Evidence {
  /** A JSON document per line, in the order of the events' times. */
  bytes: Buffer;
  omitted: number;
}

/** Stored events of the alerts, read a few alerts at a time and only until the archive is full; of the rest, only the number. */
export async function readEvidence(
  tx: Tx,
  scope: Scope,
  members: readonly Member[],
  maxBytes = maxEvidenceBytes,
): Promise<Evidence> {
  const alerts = members.map(({ alert_id, alert_at }) => ({ id: alert_id, at: alert_at })).reverse();
  const lines: { at: number; line: Buffer }[] = [];
  let size = 0;
  let total = 0;
  for (let from = 0; from < alerts.length; from += alertsPerRead) {
    const part = alerts.slice(from, from + alertsPerRead);
    for (const ids of (await readAlertEventIds(tx, scope, part)).values()) total += new Set(ids).size;
    if (size >= maxBytes) continue;
    const events = [...(await readAlertEvents(tx, scope, part, { most: eventsPerAlert })).values()].flat();
    for (const { alertId, eventId, at, document } of events) {
      const line = Buffer.from(`${JSON.stringify({ alertId, eventId, at: new Date(at).toISOString(), document })}\n`);
      size += line.length;
      // Once full it stays full: what is left out is the newest.
      if (size <= maxBytes) lines.push({ at, line });
    }
  }
  lines.sort((a, b) => a.at - b.at);
  return { bytes: Buffer.concat(lines.map(({ line }) => line)), omitted: total - lines.length };
}

/**
 * Entries of the case and its responses in the audit log that the reader of the scope may see, oldest first. Entries of responses name the case, or the
 * response where it had none or a file was taken.
 */
export async function listAuditEntries(tx: Tx, scope: Scope, organisationId: number, caseId: number) {
  const responses = await tx
    .selectFrom('responses')
    .where(within('organisation_id', scope))
    .where('case_id', '=', caseId)
    .select('id')
    .execute();
  const ids = responses.map(({ id }) => String(id));
  return tx
    .selectFrom('audit')
    .where(within('audit.organisation_id', scope))
    .where('audit.organisation_id', '=', organisationId)
    .where(visible('audit', scope))
    .where('target', 'in', [String(caseId), ...ids])
    .where(
      sql<boolean>`case when action ~ '^response[.]' and action <> 'response.pathIssued'
        then coalesce(audit.after ->> 'id', audit.before ->> 'id', target) = any(${ids}::text[])
        else target = ${String(caseId)} and action ~ '^(case|cases|response|task|review)[.]' end`,
    )
    .select(['id', 'at', 'action', 'before', 'after'])
    .select(shownName(scope, 'actor_user_id', sql`''`).as('sharedName'))
    .orderBy('id')
    .limit(maxAuditEntries)
    .execute();
}

interface Files {
  evidence: Evidence;
  audit: readonly object[] | undefined;
  report: Buffer;
}

interface About {
  contents: 'client' | 'all';
  /** Name of the portal under its brand. */
  sender: string;
  exportedBy: string;
  at: number;
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Compressed by threads of their own, so that other requests are not held up. */
const zipped = promisify<AsyncZippable, AsyncZipOptions, Uint8Array>(zip);

export async function archiveOf(
  detail: CaseDetail,
  { evidence, audit, report }: Files,
  about: About,
  key: SigningKey,
): Promise<Buffer> {
  const { caseGeneralInfo: info, autonomousResponseData, clientOrganizationDetails, story } = detail;
  const files: Record<string, Buffer> = {
    'case.json': json(detail),
    'story.txt': Buffer.from(`${storyText(story.clauses)}\n`),
    'timeline.json': json(autonomousResponseData.caseArtifactsTimeline),
    'events.ndjson': evidence.bytes,
    'report.pdf': report,
    ...(audit && { 'audit.json': json(audit) }),
  };
  const manifest = json({
    format: 'case-archive/1',
    case: info.id,
    title: info.title,
    client: clientOrganizationDetails.clientOrganization.name,
    sender: about.sender,
    contents: about.contents,
    exportedBy: about.contents === 'all' ? about.exportedBy : '',
    exportedAt: new Date(about.at).toISOString(),
    omittedEvents: evidence.omitted,
    omittedAlerts: Math.max(0, info.alertCount - detail.alerts.length),
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    publicKey: key.publicKey,
  });
  const signed = { ...files, 'manifest.json': manifest, 'manifest.sig': Buffer.from(`${key.sign(manifest)}\n`) };
  return Buffer.from(await zipped(signed, { mtime: new Date(about.at), level: 6 }));
}

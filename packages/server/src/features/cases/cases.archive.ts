/**
 * A case as one signed archive (docs/case-archive.md): its files, a manifest with the SHA-256 of each, and an Ed25519 signature of the manifest by the
 * installation's key for archives.
 */
import { createHash } from 'node:crypto';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { zipSync } from 'fflate';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { SigningKey } from '../../core/keys/signing.ts';
import { readAlertEvents } from '../../domain/alertEvents.ts';
import { storyText } from '../../domain/story.ts';
import { shownName, visible } from '../../domain/visibility.ts';
import type { Member } from './cases.detail.store.ts';

/** Evidence events per alert, and of the archive in bytes; the manifest counts what was left out. */
const eventsPerAlert = 50;
const maxEvidenceBytes = 32 * 1024 * 1024;
const maxAuditEntries = 5_000;

interface EvidenceEvent {
  alertId: number;
  eventId: string;
  at: string;
  document: unknown;
}

/** Stored events of the alerts, oldest first. */
export async function listEvidence(tx: Tx, scope: Scope, members: readonly Member[]): Promise<EvidenceEvent[]> {
  const alerts = members.map(({ alert_id, alert_at }) => ({ id: alert_id, at: alert_at }));
  const found = [...(await readAlertEvents(tx, scope, alerts, { most: eventsPerAlert })).values()].flat();
  return found
    .map(({ alertId, eventId, at, document }) => ({ alertId, eventId, at: new Date(at).toISOString(), document }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.alertId - b.alertId));
}

/** Entries of the case in the audit log that the reader of the scope may see, oldest first. */
export const listAuditEntries = (tx: Tx, scope: Scope, organisationId: number, caseId: number) =>
  tx
    .selectFrom('audit')
    .where(within('audit.organisation_id', scope))
    .where('audit.organisation_id', '=', organisationId)
    .where(visible('audit', scope))
    .where('target', '=', String(caseId))
    .where(sql<boolean>`action ~ '^(case|cases|response|task|review)[.]'`)
    .select(['id', 'at', 'action', 'before', 'after'])
    .select(shownName(scope, 'actor_user_id', sql`''`).as('sharedName'))
    .orderBy('id')
    .limit(maxAuditEntries)
    .execute();

interface Files {
  evidence: readonly EvidenceEvent[];
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

function linesOf(events: readonly EvidenceEvent[]): { bytes: Buffer; omitted: number } {
  const lines: Buffer[] = [];
  let size = 0;
  for (const event of events) {
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    if (size + line.length > maxEvidenceBytes) break;
    size += line.length;
    lines.push(line);
  }
  return { bytes: Buffer.concat(lines), omitted: events.length - lines.length };
}

export function archiveOf(detail: CaseDetail, { evidence, audit, report }: Files, about: About, key: SigningKey): Buffer {
  const { caseGeneralInfo: info, autonomousResponseData, clientOrganizationDetails, story } = detail;
  const events = linesOf(evidence);
  const files: Record<string, Buffer> = {
    'case.json': json(detail),
    'story.txt': Buffer.from(`${storyText(story.clauses)}\n`),
    'timeline.json': json(autonomousResponseData.caseArtifactsTimeline),
    'events.ndjson': events.bytes,
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
    omittedEvents: events.omitted,
    omittedAlerts: Math.max(0, info.alertCount - detail.alerts.length),
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })),
    publicKey: key.publicKey,
  });
  const signed = { ...files, 'manifest.json': manifest, 'manifest.sig': Buffer.from(`${key.sign(manifest)}\n`) };
  return Buffer.from(zipSync(signed, { mtime: new Date(about.at), level: 6 }));
}

/**
 * Plays labelled telemetry through the product: intake, detection, correlation and decisioning, composed as the demo does, on a clock of their own.
 * Each case has an organisation to itself.
 */
import { movableClock } from '../../src/core/clock.ts';
import { readConfig } from '../../src/core/config.ts';
import { connect, type Database } from '../../src/core/db/connect.ts';
import { scoped } from '../../src/core/db/scope.ts';
import { silentLog } from '../../src/core/log.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { createCorrelationService } from '../../src/features/correlation/correlation.service.ts';
import { readFacts } from '../../src/features/decisioning/decisioning.facts.ts';
import { createDecisioningService } from '../../src/features/decisioning/decisioning.service.ts';
import { createIngest, type IngestDeps } from '../../src/features/ingest/ingest.register.ts';
import { createIntelligenceService } from '../../src/features/intelligence/intelligence.service.ts';
import { createRetentionService } from '../../src/features/retention/retention.service.ts';
import { createDetector } from '../../src/pipeline/detector.ts';
import { createDeviceRegister } from '../../src/pipeline/devices.ts';
import { secretKey } from '../keys.ts';
import { builtInOf } from '../rules.ts';
import { beginOf, defaultBegin, documentsOf, isLocked, type LabelledCase, preludeOf, type TimedDocument } from './cases.ts';
import { intelligenceList } from './intelligence.ts';
import { closeCases, insertOrganisation, insertReviewer } from './reviewed.ts';
import type { Played } from './score.ts';

/** Events nearer than this are sent together, as a shipper would. */
const pauseMs = 120_000;
/** The verdict that counts is read so long after the last event. */
const settledMs = 60_000;

export interface PlayedCase extends Played {
  cases: { title: string; verdict: string | null; confidence: number | null; probability: number | null; alerts: number }[];
  /** Rules of all alerts, in cases or not: title → level and number. */
  rules: Record<string, { criticality: number; alerts: number }>;
  /** Input of the model, per opened case. */
  facts: unknown[];
}

export interface Stage {
  play(labelled: LabelledCase): Promise<PlayedCase>;
  close(): Promise<void>;
}

/** Opens the product's services on a migrated database. `url` is that of the application's role. */
export async function openStage(url: string): Promise<Stage> {
  // A run of an hour outlives moments in which the machine does nothing but other work.
  const db = connect({ url, applicationName: 'verdicts', poolSize: 6, statementTimeoutMs: 120_000, connectTimeoutMs: 120_000 });
  const clock = movableClock(Date.parse(defaultBegin));
  const config = readConfig({ DATABASE_URL: url, SECRET_KEY: secretKey, PORTAL_DEMO: '0' });
  const detector = await createDetector({ db, builtIn: await builtInOf() });
  const { alertRetentionMonths, eventRetentionDays } = config;
  const retention = {
    db,
    clock,
    log: silentLog,
    alertRetentionMonths,
    eventRetentionDays,
    longestWindowMs: detector.longestWindowMs,
  };
  const { makeMonths } = createRetentionService(retention);
  await makeMonths();
  const devices = createDeviceRegister(detector.sourcesOf);
  const platform = { db, clock, config, metrics: createMetrics(), detector, devices, log: silentLog };
  const ingest = createIngest(platform as unknown as IngestDeps);
  const intelligence = createIntelligenceService({ db, clock });
  await intelligence.importOwn('Test list', 'csv', intelligenceList);
  const correlation = createCorrelationService({ db, log: silentLog });
  const decisioning = createDecisioningService({ db, clock, lookUp: intelligence.lookUp, log: silentLog });
  let next = 1_000;
  const reviewerId = await insertReviewer(db, next);

  const judge = async (organisationId: number) => {
    await correlation.run(organisationId);
    await decisioning.run(organisationId);
  };
  const send = async (organisationId: number, documents: readonly TimedDocument[]) => {
    for (const batch of batchesOf(documents)) {
      clock.moveTo(batch.at(-1)!.at + 1_000);
      await ingest.take(
        organisationId,
        batch.map(({ document }) => ({ raw: document, index: 'logs', documentId: undefined })),
      );
      await judge(organisationId);
    }
  };

  return {
    async play(labelled) {
      const organisationId = ++next;
      await insertOrganisation(db, organisationId, labelled.name);
      for (const { documents, review } of preludeOf(labelled)) {
        await send(organisationId, documents);
        await closeCases(db, organisationId, { now: clock.now(), outcome: review ?? 'benign', ...(review && { reviewerId }) });
      }
      const begin = beginOf(labelled);
      if (labelled.documents) {
        clock.moveTo(begin);
        await makeMonths();
      }
      const documents = labelled.documents ?? documentsOf(labelled.events, begin, labelled.name);
      await send(organisationId, documents);
      clock.moveTo(documents.at(-1)!.at + settledMs);
      await devices.flush(db);
      await scoped(db, 'system', (tx) =>
        tx
          .updateTable('cases')
          .set({ needs_decision: true })
          .where('organisation_id', '=', organisationId)
          .where('closed_at', 'is', null)
          .execute(),
      );
      await judge(organisationId);
      return resultOf(db, organisationId, labelled, begin, (tx, cases) =>
        readFacts(tx, organisationId, cases, intelligence.lookUp, clock.now()),
      );
    },
    close: () => db.close(),
  };
}

function batchesOf(documents: readonly TimedDocument[]): TimedDocument[][] {
  const batches: TimedDocument[][] = [];
  for (const document of documents) {
    const last = batches.at(-1);
    if (last && document.at - last[0]!.at < pauseMs) last.push(document);
    else batches.push([document]);
  }
  return batches;
}

type ReadFacts = (
  tx: Parameters<typeof readFacts>[0],
  cases: Parameters<typeof readFacts>[2],
) => Promise<ReadonlyMap<number, unknown>>;

function resultOf(
  db: Database,
  organisationId: number,
  labelled: LabelledCase,
  begin: number,
  read: ReadFacts,
): Promise<PlayedCase> {
  return scoped(db, { organisationIds: [organisationId] }, async (tx) => {
    const cases = await tx
      .selectFrom('cases')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('closed_at', 'is', null)
      .where('last_alert_at', '>=', new Date(begin))
      .orderBy('id')
      .execute();
    const facts = cases.length === 0 ? new Map<number, unknown>() : await read(tx, cases);
    const raised = await tx
      .selectFrom('alerts as a')
      .innerJoin('rules as r', 'r.id', 'a.rule_id')
      .where('a.organisation_id', '=', organisationId)
      .where('a.at', '>=', new Date(begin))
      .select(['r.title', 'r.criticality'])
      .execute();
    const rules: PlayedCase['rules'] = {};
    for (const { title, criticality } of raised) {
      rules[title] ??= { criticality, alerts: 0 };
      rules[title].alerts++;
    }
    const worst = [...cases].sort((a, b) => (b.probability ?? -1) - (a.probability ?? -1))[0];
    return {
      name: labelled.name,
      label: labelled.label,
      family: labelled.family,
      isLocked: isLocked(labelled.name),
      opened: cases.length,
      alerts: raised.length,
      verdict: worst ? (worst.verdict ?? 'undecided') : undefined,
      confidence: worst?.confidence ?? null,
      probability: worst?.probability ?? null,
      cases: cases.map(({ title, verdict, confidence, probability, alert_count }) => ({
        title,
        verdict,
        confidence,
        probability,
        alerts: alert_count,
      })),
      rules,
      facts: cases.map(({ id }) => facts.get(id)),
    };
  });
}

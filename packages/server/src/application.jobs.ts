/** The clockwork of the house, in processes with the role worker: what is done by the clock and what on a word of the bus. */
import type { Services } from './app.ts';
import type { Bus } from './core/bus.ts';
import { withExclusiveLock } from './core/db/lock.ts';
import { openJobs } from './core/jobs.ts';
import type { Log } from './core/log.ts';
import type { AuditSealer } from './features/audit/chain.sealer.ts';
import { type BulkWorker, startBulkWorker } from './features/bulk/bulk.worker.ts';
import { runOnAlerts } from './features/correlation/correlation.listen.ts';
import type { CorrelationService } from './features/correlation/correlation.service.ts';
import type { DecisioningService } from './features/decisioning/decisioning.service.ts';
import { startNoticeWorker } from './features/mail-subscriptions/mail-subscriptions.service.ts';
import { startDeliveryWorker } from './features/outbox/outbox.service.ts';
import { startReportWorker } from './features/reports/reports.jobs.ts';
import type { RetentionService } from './features/retention/retention.service.ts';
import type { SilenceService } from './features/silence/silence.service.ts';

/** The demo's is 1. */
const sealingLock = 2;

export interface JobDeps {
  url: string;
  bus: Bus;
  services: Services;
  sealer: AuditSealer;
  verifyAudit: () => Promise<void>;
  retention: RetentionService;
  silence: SilenceService;
  correlation: CorrelationService;
  decisioning: DecisioningService;
  bulkWorker: BulkWorker;
  expireAgentTasks: () => Promise<void>;
  tendKeys: () => Promise<void>;
  /** False while the demo makes the cases of its year itself, by its own clock. */
  makesCases: () => boolean;
  closers: (() => Promise<unknown> | unknown)[];
  log: Log;
}

export async function startJobs({
  url,
  bus,
  services: {
    account,
    audit,
    domains,
    waysIn,
    risk,
    vulnerabilities,
    reporting,
    cases,
    responses,
    caseMails,
    outbox,
    subscriptions,
    suppressions,
  },
  sealer,
  verifyAudit,
  retention,
  silence,
  correlation,
  decisioning,
  bulkWorker,
  expireAgentTasks,
  tendKeys,
  makesCases,
  closers,
  log,
}: JobDeps): Promise<void> {
  const jobs = await openJobs({ url, log });
  closers.push(() => jobs.close());
  await jobs.schedule('months.make', '5 * * * *', retention.makeMonths);
  await jobs.schedule('totals.fold', '* * * * *', retention.rollUpTotals);
  await jobs.schedule('retention.drop', '15 3 * * *', retention.dropOld);
  await jobs.schedule('audit.drop', '45 3 * * *', audit.dropOld);
  await jobs.schedule('risk.takeSnapshots', '10 0 * * *', risk.takeSnapshots);
  await jobs.schedule('vulnerabilities.match', '* * * * *', vulnerabilities.match);
  await jobs.schedule('vulnerabilities.drop', '30 3 * * *', vulnerabilities.dropOld);
  await jobs.schedule('domains.check', '50 * * * *', domains.checkDue);
  await jobs.schedule('keys.tend', '50 * * * *', tendKeys);
  await jobs.schedule('signIns.sweep', '25 * * * *', waysIn.auth.sweep);
  await jobs.schedule('apiKeys.notify', '5 * * * *', account.sendKeyNotices);
  await jobs.schedule('audit.verify', '20 4 * * *', verifyAudit);
  closers.push(sealAlone(url, sealer, log));
  const makeCases = async () => {
    if (!makesCases()) return;
    await correlation.run();
    await decisioning.run();
  };
  await jobs.schedule('cases.make', '* * * * *', makeCases);
  await jobs.schedule('cases.noteSilence', '*/10 * * * *', async () => {
    if (makesCases()) await decisioning.noteSilence();
  });
  await jobs.schedule('silence.watch', '*/5 * * * *', async () => {
    if (makesCases()) await silence.watch();
  });
  closers.push(runOnAlerts(bus, makeCases, log));
  await jobs.schedule('cases.watchClocks', '* * * * *', cases.watchClocks);
  await jobs.schedule('mails.deliver', '* * * * *', outbox.deliver);
  closers.push(startDeliveryWorker(bus, outbox, log));
  closers.push(startBulkWorker(bus, bulkWorker, log));
  await jobs.schedule('agentTasks.expire', '* * * * *', expireAgentTasks);
  await jobs.schedule('responses.expire', '* * * * *', responses.expire);
  await jobs.schedule('responses.release', '* * * * *', responses.release);
  await jobs.schedule('caseMails.dropOldLinks', '55 * * * *', caseMails.dropOldLinks);
  await jobs.schedule('subscribers.tell', '* * * * *', subscriptions.tell);
  await jobs.schedule('approvers.tell', '* * * * *', subscriptions.tellApprovers);
  await jobs.schedule('digest.daily', '0 6 * * *', () => subscriptions.digest('day'));
  await jobs.schedule('digest.weekly', '0 6 * * 1', () => subscriptions.digest('week'));
  closers.push(startNoticeWorker(bus, subscriptions, log));
  await jobs.schedule('reports.send', '20 * * * *', reporting.schedules.sendDue);
  await jobs.schedule('reports.make', '* * * * *', reporting.jobs.run);
  await jobs.schedule('reports.sweep', '40 * * * *', reporting.jobs.removeOld);
  closers.push(startReportWorker(bus, reporting.jobs, log));
  await jobs.schedule('bulk.work', '* * * * *', bulkWorker.run);
  await jobs.schedule('bulk.sweep', '35 * * * *', bulkWorker.removeOld);
  await jobs.schedule('suppressions.release', '* * * * *', suppressions.releaseCases);
}

/** One process of the installation seals the audit log. Answers how to stop it. */
function sealAlone(url: string, sealer: AuditSealer, log: Log): () => Promise<void> {
  const closing = new AbortController();
  const sealing = withExclusiveLock(url, sealingLock, closing.signal, sealer.run).catch((error: unknown) =>
    log.error({ err: error }, 'the audit log is not sealed any more'),
  );
  return async () => {
    closing.abort();
    await sealing;
  };
}

/** Erasures of clients: start within a decision, progress, and certificate. */
import { problem } from '@parapet/contract/problem.ts';
import type { RetentionState } from '@parapet/contract/retention.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { makePdf, type PdfBrand, pdfType } from '../../domain/pdf.ts';
import { certificatePdf } from './erasure.certificate.ts';
import { type ErasureJobDeps, erase } from './erasure.job.ts';
import * as store from './erasure.store.ts';

export interface ErasureDeps extends ErasureJobDeps {
  db: Database;
  clock: Clock;
  log: Log;
  brandOf: (organisationId: number) => Promise<PdfBrand>;
}

export type ErasureService = ReturnType<typeof createErasureService>;

export function createErasureService(deps: ErasureDeps) {
  const { db, log, brandOf } = deps;
  return {
    /** Within the transaction of the second person’s confirmation, in the portal’s own scope. The job begins within a minute. */
    startIn: store.insertErasure,

    async progressOf(tx: Tx, organisationId: number): Promise<RetentionState['erasure']> {
      const found = await store.findErasure(tx, organisationId);
      return found
        ? {
            startedAt: found.startedAt.toISOString(),
            finishedAt: found.finishedAt?.toISOString() ?? null,
            rows: found.rows,
            bytes: found.bytes,
            sha256: found.certificate?.sha256 ?? null,
          }
        : null;
    },

    /** For callers who were found to manage the client. */
    async certificate(actor: Actor, organisationId: number, format: 'json' | 'pdf'): Promise<FileAnswer> {
      const found = await readScoped(db, 'system', (tx) => store.findErasure(tx, organisationId));
      if (!found?.certificate)
        throw problem.conflict(
          found
            ? 'The erasure has not finished yet. Its certificate is available afterwards.'
            : `Organisation ${organisationId} was not erased, so that there is no certificate.`,
        );
      const { certificate } = found;
      const bytes =
        format === 'json'
          ? Buffer.from(`${JSON.stringify(certificate, null, 2)}\n`)
          : await makePdf(certificatePdf(certificate, await brandOf(organisationId)));
      await scoped(db, 'system', (tx) =>
        recordAudit(tx, actor, {
          action: 'erasure.certificateDownloaded',
          organisationId,
          target: String(organisationId),
          after: { format },
        }),
      );
      const type = format === 'json' ? 'application/json' : pdfType;
      return { type, bytes, downloadName: `erasure-${organisationId}.${format}` };
    },

    /** Continues what is confirmed and not finished; the failure of one leaves the others running. */
    async run(): Promise<void> {
      for (const organisationId of await readScoped(db, 'system', store.listUnfinished)) {
        try {
          if (!(await erase(deps, organisationId)))
            log.info({ organisationId }, 'an erasure waits until the audit log of the client is sealed');
        } catch (error) {
          log.error({ err: error, organisationId }, 'an erasure failed; it continues at the next run');
        }
      }
    },
  };
}

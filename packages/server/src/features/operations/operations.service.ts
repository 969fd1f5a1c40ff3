/** State of the installation for the provider’s Host, requests for a base backup, and the release after a restore. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { operationsApi } from '@parapet/contract/operations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Platform } from '../../core/feature.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import * as store from './backup.store.ts';
import { targetLabel } from './backup.target.ts';
import type { BackupCheck } from './operations.ports.ts';
import './operations.audit.ts';
import { clickHouseLag, readInstallation } from './operations.state.ts';

export type OperationsService = ReturnType<typeof createOperationsService>;

export interface OperationsDeps extends Pick<Platform, 'config' | 'db' | 'clock'> {
  /** Throws forbidden for all others; `action` completes “may …”. */
  requireProvidersHost(actor: Actor, action: string): void;
}

const freshBaseMs = 48 * hourMs;
const freshLogMs = 15 * 60_000;

export function createOperationsService({ config, db, clock, requireProvidersHost }: OperationsDeps) {
  const { backup } = config;

  return {
    async get(actor: Actor): Promise<AnswerOf<typeof operationsApi.get>> {
      requireProvidersHost(actor, 'read the state of the installation');
      const lag = await clickHouseLag({ config, db, clock });
      return readScoped(db, 'system', async (tx) => {
        const { archivedUntil, error, requestedAt } = await store.readState(tx);
        return {
          isSafeMode: config.isSafeMode,
          ...(await readInstallation(tx, { config, db, clock }, lag)),
          backup: {
            kind: config.databaseUrl !== undefined ? ('external' as const) : backup ? ('continuous' as const) : ('none' as const),
            target: backup ? targetLabel(backup) : '',
            archivedUntil: (backup && archivedUntil?.toISOString()) ?? null,
            error: backup ? error : '',
            isRequested: requestedAt !== null,
            runs: await store.listRuns(tx),
          },
          restoration: (await store.findRestoration(tx)) ?? null,
        };
      });
    },

    async mode(actor: Actor): Promise<AnswerOf<typeof operationsApi.mode>> {
      requireProvidersHost(actor, 'read the mode of the installation');
      const restoration = await readScoped(db, 'system', (tx) => store.findRestoration(tx));
      return { isSafeMode: config.isSafeMode, isPaused: restoration?.releasedAt === null };
    },

    async backUp(actor: Actor): Promise<void> {
      requireProvidersHost(actor, 'request a backup');
      if (!backup)
        throw problem.conflict('No backup is configured. Set BACKUP_DIR or BACKUP_S3_…, and BACKUP_KEY, then restart.');
      await scoped(db, 'system', async (tx) => {
        await store.requestBase(tx);
        await recordAudit(tx, actor, { action: 'installation.backupRequested', organisationId: actor.organisationId });
      });
    },

    async release(actor: Actor): Promise<void> {
      requireProvidersHost(actor, 'release a restored portal');
      await scoped(db, 'system', async (tx) => {
        if (!(await store.release(tx, { userId: actor.userId, name: actor.displayName })))
          throw problem.conflict('Nothing is paused.');
        await recordAudit(tx, actor, { action: 'installation.released', organisationId: actor.organisationId });
      });
    },

    /** For the setup checklist. */
    async checkBackup(): Promise<BackupCheck | undefined> {
      if (!backup) return undefined;
      const { state, runs } = await readScoped(db, 'system', async (tx) => ({
        state: await store.readState(tx),
        runs: await store.listRuns(tx),
      }));
      const base = runs.find(({ kind, error }) => kind === 'base' && error === '');
      if (!base) return { isDone: false, note: state.error || 'Waiting for the first base backup.' };
      const hasBase = Date.parse(base.endedAt) > clock.now() - freshBaseMs;
      const hasLog = (state.archivedUntil?.getTime() ?? 0) > clock.now() - freshLogMs;
      const verified = runs.find(({ kind, error }) => kind === 'verification' && error === '');
      const until = state.archivedUntil ? ` Backed up to ${minute(state.archivedUntil.toISOString())}.` : '';
      const note = `Last base backup ${minute(base.endedAt)}.${until}${verified ? ` Restored on trial ${minute(verified.endedAt)}.` : ''}`;
      return { isDone: hasBase && hasLog && state.error === '', note: state.error || note };
    },
  };
}

/** `2026-11-27 08:30 UTC`. */
const minute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

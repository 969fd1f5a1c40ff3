/** Offboarding of clients: archive, agents, and the end of access in one transaction. Each step can be repeated; nothing is deleted. */
import { Readable } from 'node:stream';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { offboardingApi } from '@parapet/contract/offboarding.ts';
import { problem } from '@parapet/contract/problem.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { FileAnswer } from '../../core/http/serve.ts';
import { zipped } from '../../core/zip.ts';
import { recordAudit } from '../../domain/audit.ts';
import { asClient } from '../../domain/visibility.ts';
import type { OrganisationsService } from '../organisations/organisations.service.ts';
import { archiveFiles } from './offboarding.archive.ts';
import * as store from './offboarding.store.ts';

/** Lifetime of the task for agents that are offline. */
const leaveWithinMs = 30 * dayMs;
const partnerText = 'Only clients are offboarded. Deactivate a partner once its clients have been moved or offboarded.';

interface LeaveTask {
  organisationId: number;
  agentId: number;
  responseId: null;
  action: 'leave';
  target: string;
  createdAt: Date;
  expiresAt: Date;
}

export interface OffboardingDeps {
  db: Database;
  clock: Clock;
  blobs: Blobs;
  organisations: Pick<OrganisationsService, 'details' | 'deactivateIn'>;
  queueTask: (tx: Tx, task: LeaveTask) => Promise<number | undefined>;
}

export type OffboardingService = ReturnType<typeof createOffboardingService>;

export function createOffboardingService({ db, clock, blobs, organisations, queueTask }: OffboardingDeps) {
  /** A client of the caller’s; also a deactivated one, which is outside every scope. */
  const clientOf = async (actor: Actor, client: number): Promise<store.Progress> => {
    // Refuses what is not the caller’s.
    await organisations.details(actor, client);
    const found = await readScoped(db, 'system', (tx) => store.findProgress(tx, client));
    if (!found) throw problem.notFound('organisation', client);
    if (found.isPartner) throw problem.conflict(partnerText);
    return found;
  };
  const activeClientOf = async (actor: Actor, client: number): Promise<store.Progress> => {
    scopeFor(actor, client);
    return clientOf(actor, client);
  };

  return {
    async get(actor: Actor, client: number): Promise<AnswerOf<typeof offboardingApi.get>> {
      const { working, told, left, archivedAt, endedAt, ingestKeys, enrolmentTokens, users } = await clientOf(actor, client);
      return {
        archivedAt: archivedAt?.toISOString() ?? null,
        endedAt: endedAt?.toISOString() ?? null,
        agents: { working, told, left },
        ingestKeys,
        enrolmentTokens,
        users,
      };
    },

    /** Also after the end of access, while the data is kept. */
    async archive(actor: Actor, client: number): Promise<FileAnswer> {
      await clientOf(actor, client);
      const { general, contacts, escalation, playbook } = await organisations.details(actor, client);
      const scope = asClient({ organisationIds: [client] }, client);
      await scoped(db, 'system', (tx) =>
        recordAudit(tx, actor, { action: 'offboarding.archived', organisationId: client, target: general.name }),
      );
      const now = new Date(clock.now());
      const files = archiveFiles({ db, blobs }, scope, client, { general, contacts, escalation, playbook }, now);
      return {
        type: 'application/zip',
        bytes: Readable.from(zipped(files)),
        downloadName: `archive-${client}-${now.toISOString().slice(0, 10)}.zip`,
      };
    },

    async dismissAgents(actor: Actor, client: number): Promise<AnswerOf<typeof offboardingApi.dismissAgents>> {
      const { name } = await activeClientOf(actor, client);
      return scoped(db, 'system', async (tx) => {
        const createdAt = new Date(clock.now());
        const expiresAt = new Date(clock.now() + leaveWithinMs);
        const agents = await store.listAgentsToDismiss(tx, client);
        for (const agentId of agents) {
          const of = { organisationId: client, agentId, responseId: null };
          await queueTask(tx, { ...of, action: 'leave', target: '', createdAt, expiresAt });
        }
        if (agents.length > 0)
          await recordAudit(tx, actor, {
            action: 'offboarding.agentsTold',
            organisationId: client,
            target: name,
            after: { agents: agents.length },
          });
        return { told: agents.length };
      });
    },

    async end(actor: Actor, client: number, confirmed: string): Promise<void> {
      const { name } = await activeClientOf(actor, client);
      if (confirmed.trim() !== name) throw problem.invalid({ name: [`Enter ${name} to confirm.`] });
      await scoped(db, 'system', async (tx) => {
        await organisations.deactivateIn(tx, actor, client);
        const after = await store.revokeKeys(tx, client, new Date(clock.now()));
        await recordAudit(tx, actor, { action: 'offboarding.ended', organisationId: client, target: name, after });
      });
    },
  };
}

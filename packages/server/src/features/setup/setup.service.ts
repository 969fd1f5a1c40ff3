/** The setup checklist. Steps are read from the data each time; only what the portal cannot observe is stored. */
import { allClients, isHost, providerId } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { confirmedSteps, SetupStep, setupApi } from '@parapet/contract/setup.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { BackupCheck, CheckBackup } from '../operations/operations.ports.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import * as store from './setup.store.ts';

export type SetupService = ReturnType<typeof createSetupService>;

interface Confirmation {
  step: (typeof confirmedSteps)[number];
  isConfirmed: boolean;
}

export interface SetupDeps {
  db: Database;
  outbox: Pick<OutboxService, 'queue' | 'isSending'>;
  /** Origin of links, as configured. */
  publicUrl: string;
  checkBackup: CheckBackup;
}

export function createSetupService({ db, outbox, publicUrl, checkBackup }: SetupDeps) {
  /** The organisation itself, and everything below it. */
  const targetOf = (actor: Actor, client: number) => {
    const scope = scopeFor(actor, client);
    return client === allClients || client === actor.organisationId
      ? { organisationId: actor.organisationId, scope: scopeOf(actor) }
      : { organisationId: client, scope };
  };

  return {
    async get(actor: Actor, client: number): Promise<AnswerOf<typeof setupApi.get>> {
      const { organisationId, scope } = targetOf(actor, client);
      const backup = isHost(actor) ? await checkBackup() : undefined;
      return scoped(
        db,
        scope,
        async (tx) => {
          const facts = await store.readFacts(tx, scope, organisationId, actor.userId);
          const confirmed = new Set(await store.listConfirmed(tx, scope, organisationId));
          const steps = facts.isPartner
            ? partnerSteps(facts, {
                isHost: isHost(actor),
                isProvider: organisationId === providerId,
                isSending: outbox.isSending,
                backup: backupStep(backup, confirmed.has('backup')),
                publicUrl,
              })
            : clientSteps(facts);
          return { steps, isHidden: confirmed.has('hidden'), clients: facts.clients };
        },
        { readOnly: true },
      );
    },

    async confirm(actor: Actor, client: number, { step, isConfirmed }: Confirmation): Promise<void> {
      if (step === 'backup' && !isHost(actor)) throw problem.forbidden('Only a Host confirms the backup of the installation.');
      const { organisationId, scope } = targetOf(actor, client);
      await scoped(db, scope, async (tx) => {
        await store.setConfirmed(tx, { organisationId, step, userId: actor.userId }, isConfirmed);
        await recordAudit(tx, actor, { action: 'setup.confirmed', organisationId, target: step, after: { step, isConfirmed } });
      });
    },

    /** To the caller’s own address, with the brand of their organisation. */
    async sendTestMail(actor: Actor): Promise<AnswerOf<typeof setupApi.testMail>> {
      const queued = await scoped(db, 'system', (tx) =>
        outbox.queue(tx, {
          organisationId: actor.organisationId,
          kind: 'setup.test',
          to: [actor.email],
          subject: 'Test email',
          title: 'Emails of the portal reach you',
          paragraphs: ['This test email was requested on the setup checklist. Nothing needs to be done.'],
        }),
      );
      return { id: queued!.id, isSending: outbox.isSending };
    },

    async readAttack(actor: Actor, client: number, device: string): Promise<AnswerOf<typeof setupApi.attack>> {
      const scope = client === actor.organisationId ? ownScope(actor) : scopeFor(actor, client);
      return scoped(db, scope, (tx) => store.readAttack(tx, scope, client, device), { readOnly: true });
    },
  };
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`;

/** Waits for the first event once something may send one. */
const sourceStep = ({ devices, senders }: store.SetupFacts): SetupStep => ({
  id: 'source',
  isDone: devices > 0,
  note:
    devices > 0
      ? counted(devices, 'device has sent events', 'devices have sent events')
      : senders > 0
        ? 'Waiting for the first event…'
        : 'No ingest key, enrolment token or connection exists yet.',
});

/** Observed where the portal makes the backup, otherwise confirmed. */
const backupStep = (observed: BackupCheck | undefined, isConfirmed: boolean): SetupStep =>
  observed
    ? { id: 'backup', ...observed }
    : { id: 'backup', isDone: isConfirmed, canConfirm: true, note: isConfirmed ? 'Confirmed by a Host.' : '' };

interface Installation {
  isHost: boolean;
  isProvider: boolean;
  isSending: boolean;
  backup: SetupStep;
  publicUrl: string;
}

/** True for names that only this machine reaches. */
const isLocal = (url: string): boolean => /^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(new URL(url).hostname);

function partnerSteps(facts: store.SetupFacts, { isHost, isProvider, isSending, backup, publicUrl }: Installation): SetupStep[] {
  const address: SetupStep = {
    id: 'address',
    isDone: !isLocal(publicUrl),
    note: isLocal(publicUrl) ? `Links in emails lead to ${publicUrl}. Set PUBLIC_URL.` : publicUrl,
  };
  const partner: SetupStep = {
    id: 'partner',
    isDone: facts.partners > 0 || facts.ownClients > 0,
    note: [counted(facts.partners, 'partner'), counted(facts.ownClients, 'client of your own', 'clients of your own')]
      .filter(Boolean)
      .join(', '),
  };
  const mail: SetupStep = {
    id: 'mail',
    isDone: isSending && facts.sentMails,
    note: isSending ? '' : 'No mail server is configured (SMTP_URL). Emails stay in the outbox.',
  };
  return [
    { id: 'brand', isDone: facts.hasBrand, note: '' },
    ...(isHost && isProvider ? [address] : []),
    ...(isHost ? [mail] : []),
    ...(isHost && isProvider ? [partner] : []),
    { id: 'client', isDone: facts.clients > 0, note: counted(facts.clients, 'client') },
    sourceStep(facts),
    { id: 'attack', isDone: facts.hasAttack, note: '' },
    { id: 'colleagues', isDone: facts.users > 1, note: counted(facts.users, 'active user') },
    { id: 'secondFactor', isDone: facts.hasSecondFactor, note: '' },
    ...(isHost ? [backup] : []),
  ];
}

const clientSteps = (facts: store.SetupFacts): SetupStep[] => [
  { id: 'contact', isDone: facts.hasContact, note: '' },
  { id: 'administrator', isDone: facts.administrators > 0, note: counted(facts.administrators, 'administrator') },
  { id: 'escalation', isDone: facts.escalationAddresses > 0, note: counted(facts.escalationAddresses, 'address', 'addresses') },
  sourceStep(facts),
  { id: 'attack', isDone: facts.hasAttack, note: '' },
];

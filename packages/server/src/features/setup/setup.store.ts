/** SQL of the setup checklist. Every function takes the scope first; row-level security enforces it again. */
import { providerId } from '@parapet/contract/access.ts';
import { type confirmedSteps, testDevicePrefix } from '@parapet/contract/setup.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { eventStore } from '../../domain/events/eventStore.ts';

type ConfirmedStep = (typeof confirmedSteps)[number];

export interface SetupFacts {
  isPartner: boolean;
  hasBrand: boolean;
  hasContact: boolean;
  sentMails: boolean;
  /** Active clients of a partner; 0 for a client. */
  clients: number;
  /** Active, without the organisation itself. */
  partners: number;
  /** Active, without a partner between. */
  ownClients: number;
  users: number;
  administrators: number;
  escalationAddresses: number;
  /** With events, without those of test attacks. */
  devices: number;
  /** Valid ingest keys, valid enrolment tokens and agents, without keys of test attacks. */
  senders: number;
  hasAttack: boolean;
  /** Of the caller. */
  hasSecondFactor: boolean;
}

/** Counts of devices and clients are of the whole scope; the rest is of the organisation. */
export async function readFacts(tx: Tx, scope: Scope, organisationId: number, userId: number): Promise<SetupFacts> {
  const test = `${testDevicePrefix}%`;
  const { rows } = await sql<SetupFacts>`
    select o.is_partner as "isPartner",
      exists (select from brands b where b.organisation_id = o.id
        and (b.accent_light <> '' or b.logo_light_version is not null or b.logo_dark_version is not null)) as "hasBrand",
      (o.phone_number <> '' or o.email_address <> ''
        or exists (select from emergency_contacts c where c.organisation_id = o.id)) as "hasContact",
      exists (select from mails m where m.organisation_id = o.id and m.sent_at is not null) as "sentMails",
      (select count(*)::integer from organisations c where ${within('c.id', scope)} and not c.is_partner and c.deactivated_at is null
        and (o.id = ${providerId} or c.parent_id = o.id)) as clients,
      (select count(*)::integer from organisations p where ${within('p.id', scope)} and p.is_partner and p.deactivated_at is null
        and p.id <> o.id) as partners,
      (select count(*)::integer from organisations c where ${within('c.id', scope)} and not c.is_partner and c.deactivated_at is null
        and c.parent_id = o.id) as "ownClients",
      (select count(*)::integer from users u where u.organisation_id = o.id and not u.is_deleted) as users,
      (select count(*)::integer from users u where u.organisation_id = o.id and not u.is_deleted and u.role = 'Administrator') as administrators,
      (select count(*)::integer from escalation_addresses e where e.organisation_id = o.id) as "escalationAddresses",
      (select count(*)::integer from devices d where ${within('d.organisation_id', scope)} and d.last_event_at is not null
        and d.name not like ${test}) as devices,
      (select count(*)::integer from ingest_keys k where ${within('k.organisation_id', scope)} and k.revoked_at is null)
        + (select count(*)::integer from enrolment_tokens t where ${within('t.organisation_id', scope)} and t.revoked_at is null
          and t.expires_at > now()) + (select count(*)::integer from agents a where ${within('a.organisation_id', scope)}
          and a.revoked_at is null)
        + (select count(*)::integer from connections c where ${within('c.organisation_id', scope)})
        + (select count(*)::integer from webhook_sources w where ${within('w.organisation_id', scope)}) as senders,
      exists (select from devices d where ${within('d.organisation_id', scope)} and d.name like ${test}
        and exists (select from alerts a where a.organisation_id = d.organisation_id and a.device_name = d.name)) as "hasAttack",
      exists (select from users u where u.id = ${userId}
        and (u.is_mfa_set or exists (select from passkeys p where p.user_id = u.id))) as "hasSecondFactor"
    from organisations o where o.id = ${organisationId} and ${within('o.id', scope)}`.execute(tx);
  return rows[0]!;
}

export async function listConfirmed(tx: Tx, scope: Scope, organisationId: number): Promise<ConfirmedStep[]> {
  const rows = await tx
    .selectFrom('setup_confirmations')
    .select('step')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', organisationId)
    .execute();
  return rows.map(({ step }) => step);
}

export async function setConfirmed(
  tx: Tx,
  { organisationId, step, userId }: { organisationId: number; step: ConfirmedStep; userId: number },
  isConfirmed: boolean,
): Promise<void> {
  if (isConfirmed)
    await tx
      .insertInto('setup_confirmations')
      .values({ organisation_id: organisationId, step, user_id: userId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  else
    await tx.deleteFrom('setup_confirmations').where('organisation_id', '=', organisationId).where('step', '=', step).execute();
}

/** First event, first alert and its case of a device. */
export async function readAttack(tx: Tx, scope: Scope, organisationId: number, device: string) {
  const receivedAt = await eventStore.firstArrival(tx, scope, organisationId, device);
  const alert = await tx
    .selectFrom('alerts as a')
    .leftJoin('case_alerts as m', (join) => join.onRef('m.alert_id', '=', 'a.id').onRef('m.alert_at', '=', 'a.at'))
    .select(['a.id', 'm.case_id as caseId'])
    .where(within('a.organisation_id', scope))
    .where('a.organisation_id', '=', organisationId)
    .where('a.device_name', '=', device)
    .orderBy('m.case_id')
    .orderBy('a.id')
    .limit(1)
    .executeTakeFirst();
  return {
    receivedAt: receivedAt === undefined ? null : new Date(receivedAt).toISOString(),
    alertID: alert?.id ?? null,
    caseID: alert?.caseId ?? null,
  };
}

/**
 * The demo world, produced by the product itself: simulated shippers send a year of events through the real ingest at simulated times, and
 * rules raise the alerts. An interrupted start resumes, because events keep their ids.
 */
import { providerId } from '@parapet/contract/access.ts';
import type { Brand } from '@parapet/contract/brand.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { liveShipment } from '@parapet/world/live.ts';
import { organisationOf, organisations } from '@parapet/world/organisations.ts';
import { type Persona, personaPassword, personas } from '@parapet/world/personas.ts';
import { sql } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { hashPassword } from '../../core/passwords.ts';
import { newToken } from '../../core/secrets.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import { accents, contactsAt, escalationsAt, watchedAt } from './demo.details.ts';
import { arrivalsOf, type ReplayDeps, replay } from './demo.replay.ts';
import { insertRisk } from './demo.risk.ts';
import { createProgress, type DemoState, readState, shownProgress, writeState } from './demo.state.ts';
import { type DemoVulnerabilities, insertVulnerabilities } from './demo.vulnerabilities.ts';

const liveTickMs = 5_000;
/** Part of the whole at the end of the replay, by the time that it took. */
const replayEnds = 0.92;

export const canSignIn = (persona: Persona): boolean => !persona.isDeleted;

type DemoBrand = NonNullable<Brand['demo']>;

/** Demo accounts on a partner’s host: its own people and its clients’; all of them on the provider’s. */
export const personasOn = (partnerId: number): DemoBrand['personas'] =>
  personas.filter(canSignIn).flatMap((persona) => {
    const organisation = organisationOf(persona.organisationId);
    if (partnerId !== providerId && organisation.id !== partnerId && organisation.parentId !== partnerId) return [];
    return [
      {
        persona: persona.persona,
        displayName: `${persona.firstName} ${persona.lastName}`,
        email: persona.email,
        role: persona.role,
        organisation: organisation.name,
        mfaSecret: persona.mfaSecret ?? '',
      },
    ];
  });

/** Demo accounts and the progress of the world, for the sign-in page. A complete world is read once. */
export function createDemoBrand(clock: Clock): (tx: Tx, partnerId: number) => Promise<DemoBrand> {
  let isDone = false;
  return async (tx, partnerId) => {
    const progress = isDone ? null : shownProgress(await readState(tx), clock.now());
    isDone = progress === null;
    return { password: personaPassword, personas: personasOn(partnerId), progress };
  };
}

export type DemoService = ReturnType<typeof createDemoService>;

type SealMfaSecret = (tx: Tx, owner: { id: number; organisationId: number }, secret: string) => Promise<Buffer>;

export interface DemoDeps extends ReplayDeps {
  /** Ingest on the real clock, for the live stream. */
  live: IngestService;
  dropOld: () => Promise<void>;
  /** Encrypts a user’s authenticator secret for storage. */
  sealMfaSecret: SealMfaSecret;
  /** Imports and scans on a separate simulated clock. */
  vulnerabilities: DemoVulnerabilities;
  /** Present time: the end of the history, and of the live stream. */
  wallClock: Clock;
}

export function createDemoService(deps: DemoDeps) {
  const { db, live, seed, months, dropOld, sealMfaSecret, vulnerabilities, wallClock, log } = deps;

  return {
    async isDone(): Promise<boolean> {
      return (await scoped(db, 'system', readState))?.isDone ?? false;
    },

    /** Creates the world on first start, and resumes an interrupted one. */
    async make(): Promise<void> {
      const started = performance.now();
      let state = await scoped(db, 'system', readState);
      if (state?.isDone) return;
      if (!state) {
        const password = await hashPassword(personaPassword);
        const begun: DemoState = { now: wallClock.now(), isDone: false };
        state = begun;
        await scoped(db, 'system', async (tx) => {
          await insertOrganisations(tx);
          await insertDetails(tx);
          await insertPersonas(tx, password, sealMfaSecret, new Date(begun.now - (months + 1) * 31 * dayMs));
          await vouchForDomains(tx);
          await sql`select make_partitions(${day(begun.now - (months + 1) * 31 * dayMs)}::date, ${day(begun.now)}::date)`.execute(
            tx,
          );
          await writeState(tx, begun);
        });
      }
      const { now } = state;
      const progress = createProgress(deps, { now, isDone: false });
      await replay(deps, now, (part) => progress.note('Replaying a year of events', part * replayEnds));
      progress.note('Importing vulnerability scans, computing risk scores', replayEnds);
      await Promise.all([
        scoped(db, 'system', (tx) => insertRisk(tx, now, months), { statementTimeoutMs: 60_000 }),
        insertVulnerabilities(vulnerabilities, now, seed),
      ]);
      await dropOld();
      await progress.settled();
      // On the disk, and with it everything before.
      await scoped({ ...db, isForgettable: false }, 'system', (tx) => writeState(tx, { now, isDone: true }));
      log.info({ seconds: Math.round((performance.now() - started) / 100) / 10 }, 'demo world ready');
    },

    /** Sends a few events every few seconds for live screens. Returns the stop function. */
    streamLive(): () => void {
      let tick = 0;
      let isBusy = false;
      const timer = setInterval(async () => {
        if (isBusy) return;
        isBusy = true;
        try {
          for (const shipment of liveShipment({ seed: String(seed), tick: tick++, now: wallClock.now() })) {
            await live.take(shipment.organisationId, arrivalsOf(shipment));
          }
        } catch (error) {
          log.warn({ err: error }, 'could not store events of the demo’s live stream; continuing');
        } finally {
          isBusy = false;
        }
      }, liveTickMs);
      return () => clearInterval(timer);
    },
  };
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

async function insertOrganisations(tx: Tx): Promise<void> {
  await tx
    .insertInto('organisations')
    .values(
      organisations.map((organisation) => ({
        id: organisation.id,
        name: organisation.name,
        is_partner: organisation.kind !== 'client',
        parent_id: organisation.parentId ?? null,
        phone_number: organisation.phoneNumber,
        email_address: organisation.emailAddress,
        website_url: organisation.websiteURL,
        industry: organisation.industry,
        street: organisation.address.street,
        suite: organisation.address.suite,
        city: organisation.address.city,
        state: organisation.address.state,
        zip_code: organisation.address.zipCode,
        ...(organisation.kind === 'client' && watchedAt(organisation)),
        is_mfa_compulsory: false,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .insertInto('brands')
    .values(
      organisations
        .filter((organisation) => organisation.subdomain !== undefined)
        .map((organisation) => ({
          organisation_id: organisation.id,
          sub_domain: organisation.subdomain as string,
          // The name of the default brand, which is the provider’s.
          name: organisation.id === providerId ? 'Parapet' : organisation.name,
          description: organisation.description,
          contact: `mailto:${organisation.emailAddress}`,
          mail_sender_name: organisation.name,
          mail_sender_address: `support@${organisation.domain}`,
          mail_footer: `${organisation.address.street}, ${organisation.address.city}, ${organisation.address.state} · ${organisation.phoneNumber}`,
          ...accents[organisation.id],
        })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertDetails(tx: Tx): Promise<void> {
  const clients = organisations.filter(({ kind }) => kind === 'client');
  await tx.insertInto('emergency_contacts').values(clients.flatMap(contactsAt)).execute();
  await tx.insertInto('escalation_addresses').values(clients.flatMap(escalationsAt)).execute();
}

/** Demo host names exist in no DNS, so a Host vouches for them. */
async function vouchForDomains(tx: Tx): Promise<void> {
  const host = await tx
    .selectFrom('users')
    .select('id')
    .where('organisation_id', '=', providerId)
    .where('role', '=', 'Host')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('domains')
    .values(
      organisations
        .filter(({ kind }) => kind !== 'client')
        .map(({ id, domain }) => ({
          organisation_id: id,
          domain,
          token: newToken(),
          verified_at: sql<Date>`now()`,
          vouched_by: host.id,
        })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertPersonas(
  tx: Tx,
  passwordHash: string,
  sealMfaSecret: SealMfaSecret,
  /** Before the history begins: accounts created today could not approve its requests. */
  createdAt: Date,
): Promise<void> {
  const users = await tx
    .insertInto('users')
    .values(
      personas.map((persona) => ({
        organisation_id: persona.organisationId,
        email: persona.email,
        first_name: persona.firstName,
        last_name: persona.lastName,
        role: persona.role,
        phone_number: persona.phoneNumber,
        password_hash: passwordHash,
        created_at: createdAt,
        is_mfa_required: persona.mustEnrolMfa,
        is_deleted: persona.isDeleted,
        deleted_at: persona.isDeleted ? sql<Date>`now()` : null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'email', 'organisation_id as organisationId'])
    .execute();
  // The demo is set up.
  if (users.length > 0)
    await tx
      .insertInto('setup_confirmations')
      .values(
        [...new Map(users.map(({ id, organisationId }) => [organisationId, id]))].map(([organisationId, id]) => ({
          organisation_id: organisationId,
          step: 'hidden' as const,
          user_id: id,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const { email, mfaSecret } of personas) {
    const user = mfaSecret === undefined ? undefined : users.find((each) => each.email === email);
    if (!user || mfaSecret === undefined) continue;
    await tx
      .updateTable('users')
      .set({ is_mfa_set: true, mfa_secret: await sealMfaSecret(tx, user, mfaSecret) })
      .where('id', '=', user.id)
      .execute();
  }
}

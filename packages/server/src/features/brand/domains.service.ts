/**
 * Verification of the domains that partners claim (docs/decisions/0026-proven-names.md), on demand and once a day; no transaction is open during a DNS query.
 * Links, hosts and senders read `is_proven` in the statement that reads the brand, so a claim is never used before its proof.
 */
import { providerId } from '@parapet/contract/access.ts';
import type { ClaimedDomain } from '@parapet/contract/domains.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDuplicate, readScoped, retrying, scoped, systemScope, type Tx } from '../../core/db/scope.ts';
import type { Resolver } from '../../core/dns.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { afterCheck, claimOf, endOf, faultOfAnswer, recordNameOf, recordValueOf } from './domains.rules.ts';
import {
  claimsOf,
  type DomainRow,
  findDomain,
  isProvenElsewhere,
  listDomains,
  listDue,
  listUnnoticed,
  lockDomain,
  releaseElsewhere,
  updateDomain,
} from './domains.store.ts';

/** Limit per run; the rest follows in the next hour. */
const maxPerRun = 500;
const takenText = (domain: string) => `Another organisation has verified ${domain}.`;

type Page = { results: ClaimedDomain[]; total: number };
export type DomainsService = ReturnType<typeof createDomainsService>;

export interface DomainsServiceDeps {
  db: Database;
  clock: Clock;
  resolver: Resolver;
  outbox: OutboxService;
  administratorsOf: (tx: Tx, organisationId: number) => Promise<string[]>;
  /** Limits checks on demand; throws tooManyRequests. */
  consumeAttempt: (organisationId: number) => Promise<void>;
  log: Log;
}

async function listClaims({ db }: DomainsServiceDeps, actor: Actor, organisationId: number): Promise<Page> {
  const scope = scopeFor(actor, organisationId);
  return readScoped(db, scope, async (tx) => {
    const claims = await claimsOf(tx, scope, organisationId);
    const rows = await listDomains(tx, scope, organisationId);
    const results = rows.map((row) => claimOf(row, claims.find(({ domain }) => domain === row.domain)?.uses ?? []));
    return { results, total: results.length };
  });
}

async function findClaim({ db }: DomainsServiceDeps, actor: Actor, organisationId: number, domain: string): Promise<DomainRow> {
  const scope = scopeFor(actor, organisationId);
  const row = await readScoped(db, scope, (tx) => findDomain(tx, scope, organisationId, domain));
  if (!row) throw problem.notFound('claimed domain', domain);
  return row;
}

/** Ends unproven claims of other organisations; returns an error text when one of them has verified the domain first. */
async function releaseOthers(tx: Tx, { organisation_id, domain }: DomainRow): Promise<string | undefined> {
  await releaseElsewhere(tx, organisation_id, domain);
  return (await isProvenElsewhere(tx, organisation_id, domain)) ? takenText(domain) : undefined;
}

type Use = Pick<DomainRow, 'verified_at' | 'failing_since'>;

/** Audit action of a check that changes a domain’s state of use. */
function changeOfUse(before: Use, after: Use) {
  if (before.verified_at === null && after.verified_at !== null) return 'organisation.domainVerified';
  if (before.verified_at !== null && after.verified_at === null) return 'organisation.domainLapsed';
  if (before.failing_since === null && after.failing_since !== null) return 'organisation.domainFailing';
  return undefined;
}

/** Stores the result of a DNS check, with an audit entry when the state of use changes. */
const applyCheck = ({ db, clock }: DomainsServiceDeps, row: DomainRow, dnsFault: string | undefined, actor: Actor | undefined) =>
  scoped(db, systemScope, async (tx) => {
    const before = await lockDomain(tx, row);
    if (!before) return;
    const at = new Date(clock.now());
    const fault = dnsFault ?? (await releaseOthers(tx, row));
    const isVouched = before.vouched_by !== null;
    // A failed check does not affect a vouched domain.
    const change = isVouched && fault !== undefined ? { error: fault } : afterCheck(before, fault, at);
    await updateDomain(tx, row, {
      ...change,
      checked_at: at,
      ...(fault === undefined && { vouched_by: null, accepted_until: null }),
    });
    const action = changeOfUse(before, { ...before, ...change });
    if (action)
      await recordAudit(tx, actor ?? systemAuditor(row.organisation_id), {
        action,
        organisationId: row.organisation_id,
        target: row.domain,
        ...(fault !== undefined && { after: { error: fault } }),
      });
  });

async function checkClaim(deps: DomainsServiceDeps, row: DomainRow, actor?: Actor): Promise<void> {
  const fault = faultOfAnswer(await deps.resolver.txt(recordNameOf(row.domain)), row);
  // Each ends the claim of the other.
  await retrying(() => applyCheck(deps, row, fault, actor)).catch((error: unknown) => {
    // Two organisations verified it concurrently.
    if (isDuplicate(error)) return applyCheck(deps, row, takenText(row.domain), actor);
    throw error;
  });
}

/** Emails the administrators of domains that are about to end, once per end. */
const notifyAdministrators = ({ db, clock, outbox, administratorsOf }: DomainsServiceDeps): Promise<void> =>
  scoped(db, systemScope, async (tx) => {
    for (const row of await listUnnoticed(tx)) {
      await updateDomain(tx, row, { noticed_at: new Date(clock.now()) });
      const to = await administratorsOf(tx, row.organisation_id);
      if (to.length === 0) continue;
      const until = `${endOf(row)?.toISOString().slice(0, 10)}`;
      await outbox.queue(tx, {
        organisationId: row.organisation_id,
        kind: 'domain.unproven',
        to,
        subject: `Verify ${row.domain} by ${until}`,
        title: `${row.domain} needs a DNS record`,
        facts: [
          ['Type', 'TXT'],
          ['Name', recordNameOf(row.domain)],
          ['Value', recordValueOf(row.token)],
        ],
        paragraphs: [
          row.error || 'This domain has not been verified yet.',
          `It stays in use until ${until}. After that, links lead to your sub-domain and emails come from the portal’s own address until the record is found.`,
        ],
        notes: ['Client details › Branding shows the record and can check it immediately.'],
      });
    }
  });

/** Throws conflict when the vouching can’t be given or withdrawn. */
function checkVouching({ domain, vouched_by, verified_at, failing_since }: DomainRow, isVouched: boolean): void {
  if (isVouched && verified_at !== null && vouched_by === null && failing_since === null)
    throw problem.conflict(`${domain} is already verified by DNS.`);
  if (!isVouched && vouched_by === null) throw problem.conflict(`${domain} is not vouched for.`);
}

/** Accepts a domain without DNS, for networks whose DNS the portal can’t reach. */
const vouchFor =
  (deps: DomainsServiceDeps) =>
  async (actor: Actor, organisationId: number, domain: string, isVouched: boolean): Promise<Page> => {
    if (actor.organisationId !== providerId) throw problem.forbidden('Only the provider’s Host may vouch for a domain.');
    const row = await findClaim(deps, actor, organisationId, domain);
    await scoped(deps.db, systemScope, async (tx) => {
      const before = await lockDomain(tx, row);
      if (!before) throw problem.conflict(`The claim of ${domain} has changed. Reload and try again.`);
      checkVouching(before, isVouched);
      const fault = isVouched ? await releaseOthers(tx, row) : undefined;
      if (fault !== undefined) throw problem.conflict(fault);
      await updateDomain(tx, row, {
        verified_at: isVouched ? new Date(deps.clock.now()) : null,
        vouched_by: isVouched ? actor.userId : null,
        failing_since: null,
        accepted_until: null,
        error: '',
      });
      await recordAudit(tx, actor, {
        action: isVouched ? 'organisation.domainVouched' : 'organisation.domainVouchWithdrawn',
        organisationId,
        target: domain,
      });
    }).catch((error: unknown) => {
      if (isDuplicate(error)) throw problem.conflict(takenText(domain));
      throw error;
    });
    return listClaims(deps, actor, organisationId);
  };

export function createDomainsService(deps: DomainsServiceDeps) {
  const { db, consumeAttempt, log } = deps;

  return {
    list: (actor: Actor, organisationId: number): Promise<Page> => listClaims(deps, actor, organisationId),

    async check(actor: Actor, organisationId: number, domain: string): Promise<Page> {
      const row = await findClaim(deps, actor, organisationId, domain);
      await consumeAttempt(organisationId);
      await checkClaim(deps, row, actor);
      return listClaims(deps, actor, organisationId);
    },
    vouch: vouchFor(deps),

    /** Scheduled: re-checks claims once a day and emails administrators who must act. */
    async checkDue(): Promise<void> {
      const due = await readScoped(db, systemScope, (tx) => listDue(tx, maxPerRun));
      for (const row of due) {
        try {
          await checkClaim(deps, row);
        } catch (error) {
          log.warn({ err: error, domain: row.domain }, 'domain check failed');
        }
      }
      await notifyAdministrators(deps);
    },
  };
}

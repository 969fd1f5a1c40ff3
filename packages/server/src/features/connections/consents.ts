/**
 * Consent by a client's administrator, started by an emailed invitation. Each redirect is bound to the browser that started, and to one step, once. The
 * tenant comes from a verified ID token; what the response to the grant claims is only compared with it (docs/decisions/0112-consent-at-microsoft.md).
 */
import type { Connector, Consent, VendorApplication } from '@parapet/connectors/connector.ts';
import { type ConsentOutcome, tenantPattern } from '@parapet/contract/connectionInvites.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { pick } from '../../domain/fields.ts';
import type { AddressThrottle } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { ApplicationsService } from './applications.service.ts';
import type { ConnectionsDeps } from './connections.deps.ts';
import { findInviteById, takeAttempt, useInvite } from './connections.invites.store.ts';
import { insertConnection, newConnectionId } from './connections.store.ts';
import { tryOut } from './connections.values.ts';
import { placeOfSecrets } from './connections.vault.ts';
import { type Microsoft, NotAdministrator, type Registration } from './consents.microsoft.ts';
import { ConsentFailure, callbackPath, outcomeOfError, resultPath } from './consents.rules.ts';
import * as store from './consents.store.ts';

export interface ConsentsDeps extends ConnectionsDeps {
  applications: Pick<ApplicationsService, 'find' | 'findLocked'>;
  brand: Pick<BrandService, 'siteOf'>;
  microsoft: Microsoft;
  /** Of the demo. */
  simulatedApplication: VendorApplication | undefined;
  throttle: AddressThrottle;
  log: Log;
}

/** Response of the vendor, as the browser brings it. */
export interface Callback {
  state: string | undefined;
  code: string | undefined;
  error: string | undefined;
  isGrant: boolean;
  isGranted: boolean;
  tenant: string | undefined;
}

/** Redirect of the browser. Each state has a cookie of its own, so that consents in several tabs are apart. */
export interface ConsentRedirect {
  location: string;
  isSecure: boolean;
  /** Cookie to set. */
  bound?: { state: string; browser: string };
  /** State whose cookie is cleared: its step was taken. */
  spent?: string;
}

const maxNames = 100;
/** Leaves room for a number in a name of 200 characters. */
const maxNameStem = 196;

type Invite = NonNullable<Awaited<ReturnType<typeof findInviteById>>>;
type Consenting = Connector & { consent: Consent };

interface NextStep {
  location: string;
  state: string;
}

/** A step that arrived, with what it belongs to. */
interface Step {
  start: store.Start;
  invite: Invite;
  connector: Consenting;
  registration: Registration;
  address: string;
}

export type ConsentsService = ReturnType<typeof createConsents>;

export function createConsents(deps: ConsentsDeps) {
  const { db, clock, connectors, applications, brand, microsoft, throttle, log } = deps;
  const now = () => new Date(clock.now());
  const siteOf = async (host: string) => {
    const { origin } = await brand.siteOf(host);
    return { origin, isSecure: origin.startsWith('https:') };
  };
  const connectorOf = (kind: string): Consenting => {
    const connector = connectors.find(({ id }) => id === kind);
    if (!connector?.consent) throw notOffered();
    return connector as Consenting;
  };
  const registrationFor = async (client: number, origin: string): Promise<Registration> => {
    const application = await applications.find(client);
    if (!application) throw notOffered();
    return { ...application, redirectUri: origin + callbackPath };
  };

  const arrive = async (origin: string, start: store.Start, address: string): Promise<Step> => {
    const invite = await readScoped(db, 'system', (tx) => findInviteById(tx, start.inviteId, now()));
    if (!invite) throw new ConsentFailure('gone');
    const registration = await registrationFor(invite.organisationId, origin);
    return { start, invite, connector: connectorOf(invite.kind), registration, address };
  };

  /** Returns the next step; undefined at the end. */
  const proceed = async (step: Step, callback: Callback, browser: string): Promise<NextStep | undefined> => {
    if (callback.error !== undefined) throw new ConsentFailure(outcomeOfError(callback.error));
    // A response to the other step is a mix-up, or forged.
    if (callback.isGrant !== (step.start.step === 'grant')) throw new ConsentFailure('failed');
    if (step.start.step === 'signIn') return signedIn(deps, step, callback.code, browser);
    if (!callback.isGranted) throw new ConsentFailure('cancelled');
    if (callback.tenant?.toLowerCase() !== step.start.tenant) throw new ConsentFailure('otherTenant');
    await complete(deps, step);
    return undefined;
  };

  return {
    /** Starts a consent. Throws a `Problem` for a link that isn't live, and where consent isn't offered. */
    async begin(token: string, host: string, address: string): Promise<ConsentRedirect> {
      throttle('consent', address);
      const invite = await scoped(db, 'system', (tx) => takeAttempt(tx, hashOfToken(token), now()));
      if (!invite)
        throw new Problem('notFound', 'This link was used, was revoked or has expired. Ask its sender for another one.');
      const { organisationId, tenant, id: inviteId } = invite;
      connectorOf(invite.kind);
      const { origin, isSecure } = await siteOf(host);
      const registration = await registrationFor(organisationId, origin);
      const [state, nonce, browser] = [newToken(), newToken(), newToken()];
      const { url, verifier } = await microsoft.signIn(registration, tenant, { state, nonce }).catch((error) => {
        log.warn({ err: error, invite: inviteId }, 'the sign-in for a consent is unreachable');
        throw new Problem('unavailable', 'Microsoft’s sign-in can’t be reached. Try again in some minutes.');
      });
      await scoped(db, 'system', async (tx) => {
        await store.removeExpired(tx);
        await store.insertStart(tx, { state, browser, organisationId, inviteId, step: 'signIn', nonce, verifier });
      });
      return { location: url, isSecure, bound: { state, browser } };
    },

    /** Handles a redirect of the vendor. Never throws but while the database is away. */
    async finish(
      host: string,
      callback: Callback,
      browserOf: (state: string, isSecure: boolean) => string | undefined,
      address: string,
    ): Promise<ConsentRedirect> {
      const { origin, isSecure } = await siteOf(host);
      const end = (outcome: ConsentOutcome): ConsentRedirect => ({ location: `${resultPath}?outcome=${outcome}`, isSecure });
      try {
        throttle('consent', address);
      } catch {
        return end('tooMany');
      }
      const { state } = callback;
      const browser = state && browserOf(state, isSecure);
      if (!state || !browser) return end('expired');
      const start = await scoped(db, 'system', (tx) => store.takeStart(tx, state, browser));
      if (!start) return end('expired');
      try {
        const step = await arrive(origin, start, address);
        const next = await proceed(step, callback, browser);
        if (next === undefined) return { ...end('connected'), spent: state };
        return { location: next.location, isSecure, bound: { state: next.state, browser }, spent: state };
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome === 'failed') log.warn({ err: error, invite: start.inviteId }, 'a consent failed');
        if (outcome !== 'untested') await recordFailure(deps, start, outcome, address);
        return { ...end(outcome), spent: state };
      }
    },
  };
}

const notOffered = () => new Problem('conflict', 'Consent isn’t offered for this service. Enter its values instead.');

function outcomeOf(error: unknown): ConsentOutcome {
  if (error instanceof ConsentFailure) return error.outcome;
  return error instanceof NotAdministrator ? 'notAdministrator' : 'failed';
}

/** Records who signed in, and returns the address at which the tenant's administrator grants. */
async function signedIn(deps: ConsentsDeps, step: Step, code: string | undefined, browser: string): Promise<NextStep> {
  const { db, microsoft } = deps;
  const { start, invite, registration, connector } = step;
  const { nonce, verifier } = start;
  if (!code || !nonce || !verifier) throw new ConsentFailure('failed');
  const { tenant, person } = await microsoft.administratorOf(registration, invite.tenant, { code, nonce, verifier });
  if (invite.tenant !== null && invite.tenant !== tenant) throw new ConsentFailure('otherTenant');
  const state = newToken();
  const { organisationId, inviteId } = start;
  await scoped(db, 'system', async (tx) => {
    // Before the grant: a tenant that can't be connected needs none.
    await requireFree(tx, organisationId, tenant);
    await store.insertStart(tx, { state, browser, organisationId, inviteId, step: 'grant', tenant, person });
  });
  return { location: microsoft.grantUrl(registration, tenant, connector.consent.scopeOf(registration.login), state), state };
}

async function requireFree(tx: Tx, organisationId: number, tenant: string): Promise<void> {
  if (await store.isTaken(tx, organisationId, tenant)) throw new ConsentFailure('taken');
}

/** Ends consents of the tenant at deactivated clients, each with an entry of their own audit log. */
async function endFormer(tx: Tx, organisationId: number, tenant: string): Promise<void> {
  for (const { id, organisationId: former, ...before } of await store.removeElsewhere(tx, organisationId, tenant)) {
    const entry = { action: 'connection.removed', organisationId: former, target: String(id), before } as const;
    await recordAudit(tx, systemAuditor(former), entry);
  }
}

/** Adds the connection, or renews the one of an earlier consent. Throws `untested` when it was added, but doesn't work yet. */
async function complete(deps: ConsentsDeps, { start, invite, connector, registration, address }: Step): Promise<void> {
  const { db, clock, keys, http } = deps;
  const { organisationId, kind, name, email, id: inviteId } = invite;
  const { tenant, person } = start;
  if (!tenant || !tenantPattern.test(tenant) || person === null) throw new ConsentFailure('failed');
  const values = valuesOf(deps, connector, tenant, registration);
  const isWorking = await tryOut(http, clock, connector, values).then(
    () => true,
    (error) => {
      if (error instanceof Problem) return false;
      throw error;
    },
  );
  const settings = pick(connector.fields, values, false);
  const account = connector.accountOf(values);
  await scoped(db, 'system', async (tx) => {
    await store.lockTenant(tx, tenant);
    await requireFree(tx, organisationId, tenant);
    await endFormer(tx, organisationId, tenant);
    if (!(await useInvite(tx, inviteId))) throw new ConsentFailure('gone');
    const earlier = await store.findConsented(tx, { organisationId, kind, tenant });
    const isAdded = !earlier;
    const id = earlier?.id ?? (await newConnectionId(tx));
    const newest = valuesOf(deps, connector, tenant, await newestOf(deps, tx, organisationId, registration));
    const secrets = await keys.seal(tx, placeOfSecrets(organisationId, id), JSON.stringify(pick(connector.fields, newest, true)));
    const stored = { id, organisationId, settings, secrets, consentedBy: person };
    if (earlier && !(await store.renewConsent(tx, stored))) throw new ConsentFailure('failed');
    const described = { kind, name: earlier?.name ?? name, account };
    if (isAdded) described.name = await insertNamed(tx, { ...stored, ...described, mayAct: false });
    const after = { ...described, mayAct: false, invitedEmail: email, consentedBy: person };
    const action = isAdded ? 'connection.consented' : 'connection.consentRenewed';
    await recordAudit(tx, { userId: null, organisationId, address }, { action, organisationId, target: String(id), after });
    await publish(tx, 'connections.due', {});
  });
  if (!isWorking) throw new ConsentFailure('untested');
}

/** The registration with a secret that was replaced during the consent. No further one is set until the transaction ends. */
async function newestOf({ applications }: ConsentsDeps, tx: Tx, client: number, used: Registration): Promise<VendorApplication> {
  const current = await applications.findLocked(tx, client);
  return current?.clientId === used.clientId && current.login === used.login ? current : used;
}

/** Inserts a connection under the first free of its name, "name 2" and so on: the grant at the vendor is given already. */
async function insertNamed(tx: Tx, row: Parameters<typeof insertConnection>[1]): Promise<string> {
  for (let number = 1; number <= maxNames; number++) {
    const name = number === 1 ? row.name : `${row.name.slice(0, maxNameStem)} ${number}`;
    if (await insertConnection(tx, { ...row, name })) return name;
  }
  throw new ConsentFailure('nameTaken');
}

/** The interfaces of the demo's simulated Microsoft have addresses of their own. */
function valuesOf(
  { examples, simulatedApplication }: ConsentsDeps,
  { id, consent }: Consenting,
  tenant: string,
  { clientId, secret, login }: VendorApplication,
): Record<string, string> {
  const values = consent.valuesOf(tenant, { clientId, secret, login });
  const api = examples[id]?.api;
  return api !== undefined && login === simulatedApplication?.login ? { ...values, api } : values;
}

/** An entry of the client's audit log for a consent that added nothing. */
async function recordFailure(
  { db, clock }: ConsentsDeps,
  { organisationId, inviteId }: store.Start,
  outcome: ConsentOutcome,
  address: string,
): Promise<void> {
  await scoped(db, 'system', async (tx) => {
    const invite = await findInviteById(tx, inviteId, new Date(clock.now()));
    const after = { kind: invite?.kind ?? '', name: invite?.name ?? '', outcome };
    const entry = { action: 'connection.consentFailed', organisationId, target: String(inviteId), after } as const;
    await recordAudit(tx, { userId: null, organisationId, address }, entry);
  });
}

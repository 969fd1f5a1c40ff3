/** API keys, auth groups and client selectors (spec §6; access table, row 38). */
import { describe, expect, test } from 'vitest';
import {
  canMakeLink,
  groupsOf,
  hasClientSelector,
  isAvailableToKeys,
  type KeyScope,
  keyScopes,
  kindOf,
  may,
  missingKeyScope,
  type Permission,
  permissions,
  providerId,
  reachOf,
  worksInLists,
} from './access.ts';
import { canSeeInternal, socName, visibilities } from './visibility.ts';

/** Scope of a key by permission; the others are not available to keys. */
const scopes: Record<KeyScope, Permission[]> = {
  read: [
    'users:read',
    'users:listRoles',
    'organisations:read',
    'partners:read',
    'clientDetails:read',
    'audit:read',
    'outbox:read',
    'alerts:read',
    'cases:read',
    'caseMails:read',
    'responses:read',
    'rules:read',
    'devices:read',
    'events:read',
    'dashboard:read',
    'sapphire:use',
    'tags:read',
    'search:use',
  ],
  triage: [
    'alerts:mark',
    'cases:write',
    'cases:changeStatus',
    'cases:mail',
    'reviews:use',
    'suppressions:write',
    'ruleExceptions:write',
    'tags:write',
    'bulk:use',
    'views:use',
  ],
  respond: ['responses:write'],
  administer: [
    'clientDetails:write',
    'clients:manage',
    'retention:write',
    'partners:manage',
    'approvalRules:write',
    'rules:write',
    'rulePacks:write',
    'caseGrouping:write',
    'intelligence:write',
    'mailSubscriptions:write',
    'devices:write',
    'agentReleases:write',
    'risk:write',
    'reports:schedule',
    'sapphire:administer',
    'deliveries:write',
    'billing:write',
    'operations:read',
  ],
  ingest: ['ingestKeys:write', 'connections:write'],
};

const who = (role: string, isPartner: boolean) => ({ role, isPartner, organisationId: 9 });
const holders = {
  guest: who('', false),
  guestOfPartner: who('', true),
  host: who('Host', true),
  clientHost: who('Host', false),
  partnerAdmin: who('Administrator', true),
  partnerAnalyst: who('Partner Analyst', true),
  clientPartnerAnalyst: who('Partner Analyst', false),
  superAnalyst: who('Analyst', true),
  partnerManager: who('Manager', true),
  clientAdmin: who('Administrator', false),
  manager: who('Manager', false),
  analyst: who('Analyst', false),
  other: who('Auditor', false),
};
const named = (test: (holder: ReturnType<typeof who>) => boolean) =>
  Object.entries(holders).flatMap(([name, holder]) => (test(holder) ? [name] : []));

describe('API keys', () => {
  test.each(permissions)('states the scope for %s', (permission) => {
    const needed = keyScopes.find((scope) => scopes[scope].includes(permission));
    expect(isAvailableToKeys(permission)).toBe(needed !== undefined);
    expect(missingKeyScope([], permission)).toBe(needed);
    expect(missingKeyScope(needed ? [needed] : [], permission)).toBeUndefined();
  });

  test('needs no scope for calls without a sign-in', () => {
    expect([isAvailableToKeys('anyone'), missingKeyScope([], 'anyone')]).toEqual([true, undefined]);
    expect(keyScopes).toEqual(['read', 'triage', 'respond', 'administer', 'ingest']);
  });
});

describe('kinds and groups', () => {
  test('gives staff a client selector', () => {
    const staff = ['host', 'partnerAdmin', 'partnerAnalyst', 'superAnalyst'];
    expect(named(hasClientSelector)).toEqual(staff);
    expect(named(canSeeInternal)).toEqual(staff);
    expect(named(worksInLists)).toEqual([...staff, 'analyst']);
    expect([providerId, socName, visibilities]).toEqual([1, 'SOC Analyst', ['internal', 'client']]);
  });

  test('names the column of the access table', () => {
    expect(Object.entries(holders).map(([name, holder]) => [name, kindOf(holder)])).toEqual(
      Object.keys(holders).map((name) => [
        name,
        { guestOfPartner: 'guest', clientHost: 'other', clientPartnerAnalyst: 'other' }[name] ?? name,
      ]),
    );
    expect(kindOf(undefined)).toBe('guest');
  });

  test('selects navigation items', () => {
    const groups = (group: ReturnType<typeof groupsOf>[number]) => named((holder) => groupsOf(holder).includes(group));
    const staff = ['host', 'partnerAdmin', 'partnerAnalyst', 'superAnalyst', 'clientAdmin'];
    expect(groups('onlyGuest')).toEqual(['guest', 'guestOfPartner']);
    expect(groups('admin')).toEqual(['host', 'partnerAdmin', 'clientAdmin']);
    expect(groups('staff')).toEqual(Object.keys(holders).filter((name) => staff.includes(name)));
    expect(groups('user')).toEqual(Object.keys(holders).filter((name) => !name.startsWith('guest')));
    expect(groupsOf(undefined)).toEqual(['onlyGuest']);
  });

  test('allows calls that the role reaches', () => {
    expect([may(undefined, 'anyone'), may(undefined, 'cases:read'), may(holders.analyst, 'cases:read')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([may(holders.analyst, 'cases:write'), reachOf(undefined, 'cases:read')]).toEqual([false, undefined]);
  });
});

describe('links to an account', () => {
  const target = { id: 7, role: 'Analyst', organisationId: 9, isDeleted: false, mfaIsSet: true, isInvited: false };
  const by = (name: keyof typeof holders, more: Partial<typeof target> = {}, userId = 1) =>
    canMakeLink({ ...holders[name], userId }, { ...target, ...more });

  test('lets those make one who can change the password, for an invited user who can edit it, never for oneself', () => {
    expect([by('host'), by('partnerAdmin'), by('clientAdmin')]).toEqual([true, true, false]);
    expect([by('clientAdmin', { isInvited: true }), by('manager', { isInvited: true })]).toEqual([true, false]);
    expect([by('host', {}, 7), by('host', { isInvited: true }, 7)]).toEqual([false, false]);
  });
});

/** User rules of spec §6 as a table of caller, target user and permission. */
import { describe, expect, test } from 'vitest';
import {
  canChangePassword,
  canDeleteUser,
  canEditPhoneNumber,
  canEditPicture,
  canEditUser,
  canReactivateUser,
  canResetMfa,
  canSeeDeleteUser,
  canSeeResetMfa,
  type TargetUser,
} from './access.ts';

const [partner, client, sibling] = [2, 10, 11];
const asker = (role: string, isPartner: boolean) => ({
  userId: 1,
  role,
  isPartner,
  organisationId: isPartner ? partner : client,
});
const askers = {
  host: asker('Host', true),
  partnerAdmin: asker('Administrator', true),
  partnerAnalyst: asker('Partner Analyst', true),
  superAnalyst: asker('Analyst', true),
  partnerManager: asker('Manager', true),
  clientAdmin: asker('Administrator', false),
  manager: asker('Manager', false),
  analyst: asker('Analyst', false),
  // The roles Host and Partner Analyst exist at partners only.
  clientHost: asker('Host', false),
  other: asker('Auditor', false),
  guest: asker('', false),
};
type Asker = keyof typeof askers;

const target = (fields: Partial<TargetUser>): TargetUser => ({
  id: 7,
  role: 'Analyst',
  organisationId: client,
  isDeleted: false,
  mfaIsSet: true,
  ...fields,
});
const admins: Asker[] = ['host', 'partnerAdmin', 'clientAdmin'];

const rules = {
  canEditUser,
  canEditPhoneNumber,
  canChangePassword,
  canSeeResetMfa,
  canResetMfa,
  canDeleteUser,
  canReactivateUser,
  canEditPicture,
};
type Rule = keyof typeof rules;
const all = Object.keys(askers) as Asker[];

/** Callers that each rule allows, for another user of the client, oneself, a Host and a deleted user. */
const table: Record<Rule, { another: Asker[]; oneself: Asker[]; aHost: Asker[]; aDeleted: Asker[] }> = {
  canEditUser: { another: admins, oneself: admins, aHost: ['host'], aDeleted: [] },
  canEditPhoneNumber: { another: admins, oneself: all, aHost: ['host'], aDeleted: [] },
  canChangePassword: { another: ['host', 'partnerAdmin'], oneself: all, aHost: ['host'], aDeleted: [] },
  canSeeResetMfa: { another: ['host'], oneself: all, aHost: ['host'], aDeleted: ['host'] },
  canResetMfa: { another: ['host'], oneself: all, aHost: ['host'], aDeleted: [] },
  canDeleteUser: { another: admins, oneself: [], aHost: ['host'], aDeleted: [] },
  canReactivateUser: { another: [], oneself: [], aHost: [], aDeleted: admins },
  canEditPicture: { another: admins, oneself: all, aHost: ['host'], aDeleted: [] },
};

describe.each(Object.entries(table) as [Rule, (typeof table)[Rule]][])('%s', (name, wanted) => {
  const allowed = (of: (who: Asker) => TargetUser) => all.filter((who) => rules[name](askers[who], of(who)));
  const own = (who: Asker) => askers[who].organisationId;

  test('allows callers to change another user', () => expect(allowed(() => target({}))).toEqual(wanted.another));
  test('allows callers to change themselves', () =>
    expect(allowed((who) => target({ id: 1, role: askers[who].role, organisationId: own(who) }))).toEqual(wanted.oneself));
  test('allows callers to change a Host', () =>
    expect(allowed((who) => target({ role: 'Host', organisationId: own(who) }))).toEqual(wanted.aHost));
  test('allows callers to change a deleted user', () =>
    expect(allowed(() => target({ isDeleted: true }))).toEqual(wanted.aDeleted));
  test('allows callers to change a deleted Host', () =>
    expect(allowed((who) => target({ role: 'Host', isDeleted: true, organisationId: own(who) }))).toEqual(
      wanted.aDeleted.filter((who) => who === 'host'),
    ));
});

test('limits client administrators to users of their own organisation', () => {
  const stranger = target({ organisationId: sibling });
  expect(canEditUser(askers.clientAdmin, stranger)).toBe(false);
  expect(canDeleteUser(askers.clientAdmin, stranger)).toBe(false);
  expect(canReactivateUser(askers.clientAdmin, target({ organisationId: sibling, isDeleted: true }))).toBe(false);
  expect(canEditPicture(askers.clientAdmin, stranger)).toBe(false);
  expect(canEditUser(askers.partnerAdmin, stranger)).toBe(true);
});

test('denies an MFA reset without MFA', () => {
  expect(canResetMfa(askers.host, target({ mfaIsSet: false }))).toBe(false);
  expect(canResetMfa(askers.analyst, target({ id: 1, mfaIsSet: false }))).toBe(false);
});

test('shows the deletion section to administrators and partner analysts', () => {
  expect(all.filter((who) => canSeeDeleteUser(askers[who]))).toEqual(['host', 'partnerAdmin', 'partnerAnalyst', 'clientAdmin']);
});

import { may, type RoleHolder } from '@parapet/contract/access.ts';
import { expect, test } from 'vitest';
import { administrationFor } from './administration.ts';

const idsFor = (who: RoleHolder) =>
  administrationFor((permission) => may(who, permission), who.organisationId).map(({ id }) => id);

test.each([
  [
    'Host',
    true,
    1,
    [
      'users',
      'clientdetails',
      'collectors',
      'audit',
      'accesslog',
      'outbox',
      'operations',
      'mailsubscriptions',
      'deliveries',
      'billing',
      'identities',
      'rules',
      'caseGrouping',
      'exceptions',
      'intelligence',
      'sapphire',
    ],
  ],
  [
    'Administrator',
    true,
    2,
    [
      'users',
      'clientdetails',
      'collectors',
      'audit',
      'accesslog',
      'outbox',
      'mailsubscriptions',
      'deliveries',
      'billing',
      'identities',
      'rules',
      'exceptions',
      'intelligence',
      'sapphire',
    ],
  ],
  ['Partner Analyst', true, 2, ['users', 'clientdetails', 'identities', 'rules', 'exceptions', 'intelligence']],
  [
    'Administrator',
    false,
    10,
    ['users', 'clientdetails', 'collectors', 'audit', 'accesslog', 'outbox', 'mailsubscriptions', 'deliveries'],
  ],
  ['Manager', false, 10, ['clientdetails']],
  ['Analyst', false, 10, ['clientdetails']],
  ['', false, 10, []],
])('lists the pages of %s (partner: %s) of organisation %i', (role, isPartner, organisationId, ids) => {
  expect(idsFor({ role, isPartner, organisationId })).toEqual(ids);
});

/** Approval rules, working hours and manual steps, without a database. */
import { describe, expect, test } from 'vitest';
import { isWorkingHours } from '../../domain/workingHours.ts';
import { accountKeys, instructionsFor, mayApproveAs, type Rule, ruleFor, ruleText } from './responses.rules.ts';

const rule = (more: Partial<Rule> = {}): Rule => ({
  action: null,
  device_type: null,
  hours: 'always',
  approvers: 'provider',
  persons: 1,
  silence: 'expire',
  wait_minutes: 60,
  ...more,
});
// A Friday.
const at = (text: string) => Date.parse(`2026-11-20T${text}Z`);

describe('working hours', () => {
  test.each([
    ['07:59:59', 'UTC', false],
    ['08:00:00', 'UTC', true],
    ['17:59:59', 'UTC', true],
    ['18:00:00', 'UTC', false],
    ['00:30:00', 'Asia/Tokyo', true],
    ['10:00:00', 'Asia/Tokyo', false],
    ['23:30:00', 'Pacific/Auckland', false],
    ['13:30:00', 'America/New_York', true],
    ['12:30:00', 'America/New_York', false],
  ])('%s UTC in %s: %s', (time, zone, expected) => {
    expect(isWorkingHours(at(time), zone)).toBe(expected);
  });

  test('exclude Saturday and Sunday in the time zone', () => {
    expect(isWorkingHours(Date.parse('2026-11-21T12:00:00Z'), 'UTC')).toBe(false);
    expect(isWorkingHours(Date.parse('2026-11-22T12:00:00Z'), 'UTC')).toBe(false);
    // Monday there, Sunday here.
    expect(isWorkingHours(Date.parse('2026-11-22T23:30:00Z'), 'Asia/Tokyo')).toBe(true);
  });

  test('count midnight as hour 0', () => {
    expect(isWorkingHours(at('00:00:00'), 'UTC')).toBe(false);
  });
});

describe('the applicable rule', () => {
  const request = { action: 'isolate', deviceTypes: ['server'], now: at('12:00:00'), timeZone: 'UTC' } as const;

  test('prefers the most specific: action before type before hours', () => {
    const [general, hours, type, typeAtWork, action] = [
      rule(),
      rule({ hours: 'workingHours' }),
      rule({ device_type: 'server' }),
      rule({ device_type: 'server', hours: 'workingHours' }),
      rule({ action: 'isolate' }),
    ];
    expect(ruleFor([general, hours], request)).toBe(hours);
    expect(ruleFor([type, hours, general], request)).toBe(type);
    expect(ruleFor([general, typeAtWork, type], request)).toBe(typeAtWork);
    expect(ruleFor([typeAtWork, action, general], request)).toBe(action);
  });

  test('matches action, type and hours', () => {
    const others = [rule({ action: 'blockUser' }), rule({ device_type: 'workstation' }), rule({ hours: 'outsideWorkingHours' })];
    expect(ruleFor(others, request)).toBeUndefined();
    expect(ruleFor(others, { ...request, now: at('20:00:00') })).toBe(others[2]);
    expect(ruleFor([rule({ device_type: 'server' })], { ...request, deviceTypes: [] })).toBeUndefined();
  });

  test('prefers the strictest for devices of several types', () => {
    const [none, two] = [
      rule({ device_type: 'workstation', approvers: 'nobody', persons: 2 }),
      rule({ device_type: 'server', persons: 1 }),
    ];
    expect(ruleFor([none, two], { ...request, deviceTypes: ['workstation', 'server'] })).toBe(two);
  });

  test('describes itself in readable text', () => {
    expect(
      ruleText(rule({ action: 'isolate', device_type: 'server', hours: 'outsideWorkingHours', persons: 2, silence: 'approve' })),
    ).toBe(
      'Isolating on servers outside working hours is approved by 2 people of the provider; after 1 h of silence it counts as approved.',
    );
    expect(ruleText(rule({ approvers: 'nobody' }))).toBe('Every response needs no approval.');
  });
});

describe('approvers', () => {
  const client = { organisation_id: 10, parent_id: 2, is_partner: false };
  const who = (role: string, isPartner: boolean, organisationId: number) => ({ role, isPartner, organisationId });
  test.each([
    ['client', who('Administrator', false, 10), true],
    ['client', who('Analyst', false, 10), false],
    ['client', who('Administrator', true, 2), false],
    ['client', who('Administrator', false, 11), false],
    ['partner', who('Partner Analyst', true, 2), true],
    ['partner', who('Manager', true, 2), false],
    ['partner', who('Host', true, 1), false],
    ['provider', who('Analyst', true, 1), true],
    ['provider', who('Administrator', true, 2), false],
    [null, who('Administrator', false, 10), true],
    [null, who('Manager', false, 10), false],
  ] as const)('%s: %o %s', (kind, actor, expected) => {
    expect(mayApproveAs(kind, actor, client)).toBe(expected);
  });

  test('include the partner for its own devices', () => {
    const home = { organisation_id: 2, parent_id: 1, is_partner: true };
    expect(mayApproveAs('partner', who('Administrator', true, 2), home)).toBe(true);
    expect(mayApproveAs('partner', who('Administrator', true, 1), home)).toBe(false);
  });
});

test('accounts match by bare name', () => {
  expect(accountKeys(' CORP\\Ada ')).toEqual(['corp\\ada', 'ada']);
  expect(accountKeys('ada@corp.example')).toEqual(['ada@corp.example', 'ada']);
  expect(accountKeys('CORP\\')).toEqual(['corp\\']);
});

describe('manual steps', () => {
  const linux = { name: 'web01', deviceType: 'server', agentVersion: 'auditbeat 8.17.1' };
  const block = (target: string) => ({ action: 'blockUser', target, device_name: 'web01', expected_name: '' });

  test('keep unsafe names out of commands', () => {
    expect(instructionsFor(block('ada'), linux).join('\n')).toContain('usermod -L -e 1 "ada"');
    for (const name of ['$(reboot)', 'a"; rm -rf / #', '-f', '`id`', 'a b']) {
      const command = instructionsFor(block(name), linux).find((step) => step.includes('usermod'))!;
      expect(command).not.toContain(name);
      expect(command).toContain('<account>');
    }
  });

  test('exist for every action and system within bounds', () => {
    for (const action of [
      'isolate',
      'unisolate',
      'blockUser',
      'unblockUser',
      'block',
      'unblock',
      'disable',
      'reenable',
      'killProcess',
      'collectFile',
    ])
      for (const place of [
        undefined,
        linux,
        { ...linux, agentVersion: 'winlogbeat 8.17.1' },
        { ...linux, deviceType: 'networkDevice' },
      ]) {
        const steps = instructionsFor({ action, target: 'x'.repeat(2_000), device_name: null, expected_name: '' }, place);
        expect(steps.length).toBeGreaterThan(1);
        expect(Math.max(...steps.map((step) => step.length))).toBeLessThanOrEqual(2_000);
      }
  });
});

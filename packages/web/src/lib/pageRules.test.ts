import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AddressChoice, completeAddress, pageAt } from './pageRules.ts';
import { configRoutes, paths } from './paths.ts';

const staff: AddressChoice = { client: 11, ownId: 2, timeframe: 'lastMonth', month: () => 'October' };
const oneClient: AddressChoice = { ...staff, client: undefined, ownId: 10 };

describe('completeAddress', () => {
  test.each([
    ['/apps/dashboard', '/apps/dashboard/11?timeframe=lastMonth'],
    ['/apps/dashboard/', '/apps/dashboard/11?timeframe=lastMonth'],
    ['/APPS/Dashboard', '/APPS/Dashboard/11?timeframe=lastMonth'],
    ['/apps/dashboard/10', '/apps/dashboard/10?timeframe=lastMonth'],
    ['/apps/dashboard/0?timeframe=thisMonth', '/apps/dashboard/0?timeframe=thisMonth'],
    ['/apps/dashboard/x?timeframe=nonsense', '/apps/dashboard/x?timeframe=lastMonth'],
    ['/apps/alerts?client=10', '/apps/alerts/10?timeframe=lastMonth'],
    ['/apps/alerts?severity=high,low&page=2#top', '/apps/alerts/11?timeframe=lastMonth&severity=high,low&page=2#top'],
    ['/apps/alerts/WS%2001%2Fa', '/apps/alerts/WS%2001%2Fa?client=11&timeframe=lastMonth'],
    ['/apps/alerts/WS-01?client=10&timeframe=thisWeek', '/apps/alerts/WS-01?client=10&timeframe=thisWeek'],
    ['/apps/alert/7', '/apps/alert/7?client=11&timeframe=lastMonth'],
    ['/apps/case/7?tab=alerts', '/apps/case/7?client=11&tab=alerts'],
    ['/apps/case/7?timeframe=lastMonth', '/apps/case/7?client=11'],
    ['/apps/devices?timeframe=lastMonth', '/apps/devices/11'],
    ['/apps/device/10/WS-01', '/apps/device/10/WS-01'],
    ['/apps/risk-score', '/apps/risk-score?client=11'],
    ['/apps/vulnerability?client=10&tab=findings', '/apps/vulnerability?client=10&tab=findings'],
    ['/apps/response', '/apps/response?client=11&timeframe=lastMonth'],
    ['/apps/response/7', '/apps/response/7?client=11'],
    ['/apps/reporting', '/apps/reporting?client=11&timeframe=October'],
    ['/apps/reporting?timeframe=lastMonth', '/apps/reporting?client=11&timeframe=October'],
    ['/apps/reporting?client=10&timeframe=March', '/apps/reporting?client=10&timeframe=March'],
    ['/apps/clientdetails/create/general', '/apps/clientdetails/create/general?client=11'],
    ['/apps/auditbitconfig', '/apps/auditbitconfig/11'],
    ['/apps/profile/5?client=10', '/apps/profile/5?client=10'],
    ['/pages/faq', '/pages/faq'],
    ['/', '/'],
    ['https://help.example/apps/alerts', 'https://help.example/apps/alerts'],
  ])('completes %s for staff', (address, expected) => {
    expect(completeAddress(address, staff)).toBe(expected);
  });

  test.each([
    ['/apps/dashboard', '/apps/dashboard?timeframe=lastMonth'],
    ['/apps/dashboard/10?timeframe=thisWeek', '/apps/dashboard?timeframe=thisWeek'],
    ['/apps/dashboard/11?timeframe=thisWeek', '/apps/dashboard?timeframe=thisWeek'],
    ['/apps/alerts/10', '/apps/alerts?timeframe=lastMonth'],
    ['/apps/alerts/0', '/apps/alerts?timeframe=lastMonth'],
    ['/apps/alerts/11', '/apps/alerts/11?timeframe=lastMonth'],
    ['/apps/alerts/WS-01?client=10', '/apps/alerts/WS-01?timeframe=lastMonth'],
    ['/apps/risk-score?client=10', '/apps/risk-score'],
    ['/apps/device/10/WS-01', '/apps/device/10/WS-01'],
    ['/apps/settings?client=2&tab=security', '/apps/settings?tab=security'],
  ])('completes %s without a client for people of one client', (address, expected) => {
    expect(completeAddress(address, oneClient)).toBe(expected);
  });

  test('recognises a device named like a number once the clients are loaded', () => {
    const loaded = { ...staff, clientIds: [10, 11] };
    expect(completeAddress('/apps/alerts/999', staff)).toBe('/apps/alerts/999?timeframe=lastMonth');
    expect(completeAddress('/apps/alerts/999', loaded)).toBe('/apps/alerts/999?client=11&timeframe=lastMonth');
    expect(completeAddress('/apps/alerts/10', loaded)).toBe('/apps/alerts/10?timeframe=lastMonth');
  });

  test('leaves a complete address as it is', () => {
    const addresses = [
      '/apps/alerts',
      '/apps/alerts/WS-01',
      '/apps/reporting',
      '/apps/case/7?tab=a%20b',
      '/apps/events?field=a%3Db',
    ];
    for (const choice of [staff, oneClient]) {
      for (const address of addresses) {
        const complete = completeAddress(address, choice);
        expect(completeAddress(complete, { ...choice, timeframe: 'allTime', month: () => 'May' })).toBe(complete);
      }
    }
  });
});

describe('pageAt', () => {
  test.each([
    paths.dashboard(),
    paths.alerts('WS-01'),
    paths.alert(1),
    paths.cases(),
    paths.case(1),
    paths.attackIndicators(),
    paths.riskScore(),
    paths.vulnerability(),
    paths.reporting(),
    paths.devices(),
    paths.device(1, 'a'),
    paths.responses(),
    paths.response(1),
    paths.settings(),
    paths.users(),
    paths.profile(),
    paths.profile(1),
    paths.clientDetails('general'),
    paths.newClient(),
    paths.audit(),
    paths.accessLog(),
    paths.outbox(),
    paths.caseReviews(),
    paths.mailSubscriptions(),
    paths.rules(),
    paths.rule('a-1'),
    paths.exceptions(),
    paths.events(),
    paths.intelligence(),
    paths.sapphire(),
    paths.agents(),
    ...Object.values(configRoutes).map((route) => `/apps/${route}`),
  ])('has a rule for %s', (path) => {
    expect(pageAt(path)).toBeDefined();
  });

  test.each([paths.home(), paths.login(), paths.faq(), paths.caseAnswer(), '/apps', '/apps/unknown'])(
    'has no rule for %s',
    (path) => {
      expect(pageAt(path)).toBeUndefined();
    },
  );
});

test('every page has a rule, or belongs to no client', () => {
  const source = readFileSync(join(import.meta.dirname, '../app/routes/pages.ts'), 'utf8');
  const pages = new Set([...source.matchAll(/'(\/apps\/[\w-]+)/g)].map(([, path]) => path as string));
  const without = [...pages].filter((path) => !pageAt(path) && !pageAt(`${path}/1`) && !pageAt(`${path}/1/2`));
  expect(without.sort()).toEqual(['kit', 'operations', 'ruleimport', 'rulepacks', 'suppressions'].map((page) => `/apps/${page}`));
});

/** Every page of the portal with a persona that can open it, for the journeys that cover all pages. */
import type { Page } from '@playwright/test';
import { alertsOf, casesOf } from './api.ts';
import { expect, type JourneyPersona, keepToken, portal, tokenOf } from './fixtures.ts';
import { isPageIdle } from './idle.ts';

export interface Route {
  name: string;
  /** Undefined for guests. */
  persona?: JourneyPersona;
  path: string;
  /** The page’s heading, visible once the page has rendered. */
  heading: string | RegExp;
}

/** Looks up the numbers that some addresses contain. */
export async function allRoutes(): Promise<Route[]> {
  const [alert] = await alertsOf(portal.url, tokenOf('analyst'), 10, 'severity=critical,high&pageSize=1');
  const id = alert?.id ?? 0;
  const [malicious] = await casesOf(portal.url, tokenOf('analyst'), 10, 0, { status: ['malicious'] });
  const month = 'timeframe=lastMonth';
  return [
    { name: 'login', path: '/login', heading: 'Sign in' },
    { name: 'register', path: '/register', heading: 'Register' },
    { name: 'not found, as a guest', path: '/pages/errors/error-404', heading: 'Page not found' },
    { name: 'FAQ, as a guest', path: '/pages/faq', heading: 'FAQ' },
    { name: 'dashboard of all clients', persona: 'host', path: `/apps/dashboard?${month}`, heading: 'Dashboard' },
    { name: 'dashboard', persona: 'manager', path: '/apps/dashboard?timeframe=lastSixMonths', heading: 'Dashboard' },
    {
      name: 'dashboard by control',
      persona: 'manager',
      path: '/apps/dashboard?timeframe=lastOneYear&view=nist',
      heading: 'Dashboard',
    },
    {
      name: 'attack indicators of all clients',
      persona: 'host',
      path: `/apps/attack-indicators?${month}&compare=before`,
      heading: 'Attack Indicators',
    },
    {
      name: 'attack indicators, every technique',
      persona: 'manager',
      path: '/apps/attack-indicators?show=all&sub=1',
      heading: 'Attack Indicators',
    },
    { name: 'coverage', persona: 'host', path: '/apps/attack-indicators?tab=coverage', heading: 'Attack Indicators' },
    {
      name: 'controls',
      persona: 'manager',
      path: '/apps/attack-indicators?tab=controls&timeframe=lastOneYear',
      heading: 'Attack Indicators',
    },
    { name: 'risk scores of all clients', persona: 'host', path: '/apps/risk-score?client=0', heading: 'Risk Score' },
    { name: 'risk score', persona: 'manager', path: '/apps/risk-score', heading: 'Risk Score' },
    { name: 'deliveries', persona: 'host', path: '/apps/deliveries?client=10', heading: 'Deliveries' },
    { name: 'billing of all clients', persona: 'host', path: '/apps/billing?client=0', heading: 'Billing' },
    { name: 'billing', persona: 'host', path: '/apps/billing?client=20', heading: 'Billing' },
    { name: 'delivery rules', persona: 'clientAdmin', path: '/apps/deliveries?tab=rules', heading: 'Deliveries' },
    { name: 'connections', persona: 'clientAdmin', path: '/apps/devices?tab=connections', heading: 'Data Sources' },
    { name: 'vulnerability of all clients', persona: 'host', path: '/apps/vulnerability?client=0', heading: 'Vulnerability' },
    { name: 'vulnerability', persona: 'manager', path: '/apps/vulnerability', heading: 'Vulnerability' },
    { name: 'findings', persona: 'host', path: '/apps/vulnerability?client=10&tab=findings', heading: 'Vulnerability' },
    {
      name: 'findings, none',
      persona: 'manager',
      path: '/apps/vulnerability?tab=findings&text=nothing+has+this',
      heading: 'Vulnerability',
    },
    {
      name: 'devices by their findings',
      persona: 'manager',
      path: '/apps/vulnerability?tab=devices',
      heading: 'Vulnerability',
    },
    { name: 'advisories', persona: 'host', path: '/apps/vulnerability?client=10&tab=sources', heading: 'Vulnerability' },
    { name: 'reports of all clients', persona: 'host', path: '/apps/reporting?client=0', heading: 'Reporting' },
    { name: 'report', persona: 'manager', path: '/apps/reporting', heading: 'Reporting' },
    { name: 'balance sheet of all clients', persona: 'host', path: '/apps/reporting?client=0&tab=balance', heading: 'Reporting' },
    { name: 'balance sheet', persona: 'manager', path: '/apps/reporting?tab=balance', heading: 'Reporting' },
    { name: 'reports by mail', persona: 'host', path: '/apps/reporting?client=10&tab=schedules', heading: 'Reporting' },
    { name: 'data sources of all clients', persona: 'host', path: '/apps/devices', heading: 'Data Sources' },
    ...['overview', 'alerts', 'cases', 'activity', 'inventory', 'vulnerabilities', 'configuration', 'timeline'].map((tab) => ({
      name: `device, ${tab}`,
      persona: 'host' as const,
      path: `/apps/device/10/ALD-DC-01?tab=${tab}`,
      heading: 'ALD-DC-01',
    })),
    { name: 'missing device', persona: 'manager', path: '/apps/device/10/nothing', heading: 'Device' },
    { name: 'collectors of all clients', persona: 'host', path: '/apps/agents?client=0', heading: 'Agent' },
    { name: 'agents, install', persona: 'host', path: '/apps/agents?client=10&tab=install', heading: 'Agent' },
    { name: 'agents, install, refused', persona: 'manager', path: '/apps/agents?tab=install', heading: 'Agent' },
    { name: 'agents, versions', persona: 'host', path: '/apps/agents?client=10&tab=releases', heading: 'Agent' },
    { name: 'alerts of all clients', persona: 'host', path: `/apps/alerts?${month}&severity=high`, heading: 'Alerts' },
    { name: 'alerts', persona: 'analyst', path: `/apps/alerts?${month}`, heading: 'Alerts' },
    {
      name: 'a look into an alert',
      persona: 'analyst',
      path: `/apps/alerts?timeframe=lastOneYear&peek=${id}`,
      heading: 'Alerts',
    },
    { name: 'no alerts', persona: 'analyst', path: '/apps/alerts?text=nothing+has+this', heading: 'Alerts' },
    { name: 'alert', persona: 'analyst', path: `/apps/alert/${id}`, heading: alert?.rule ?? '' },
    { name: 'cases of all clients', persona: 'host', path: `/apps/cases/0?${month}`, heading: 'Cases' },
    { name: 'cases', persona: 'manager', path: '/apps/cases?timeframe=lastOneYear', heading: 'Cases' },
    { name: 'case', persona: 'host', path: `/apps/case/${malicious?.id}`, heading: malicious?.title ?? '' },
    { name: 'case, to read', persona: 'manager', path: `/apps/case/${malicious?.id}`, heading: malicious?.title ?? '' },
    { name: 'missing case', persona: 'analyst', path: '/apps/case/2147483647', heading: /2147483647/ },
    { name: 'missing alert', persona: 'analyst', path: '/apps/alert/2147483647', heading: /2147483647/ },
    { name: 'settings', persona: 'host', path: '/apps/settings', heading: 'Settings' },
    { name: 'users of all clients', persona: 'host', path: '/apps/users?client=0', heading: 'Users' },
    { name: 'users', persona: 'manager', path: '/apps/users', heading: 'Users' },
    { name: 'new user', persona: 'host', path: '/apps/profile?client=10', heading: 'New user' },
    { name: 'own profile', persona: 'host', path: '/apps/profile/1', heading: /./ },
    { name: 'missing user', persona: 'host', path: '/apps/profile/2147483646?client=10', heading: 'User' },
    { name: 'choosing a client', persona: 'host', path: '/apps/clientdetails/general?client=0', heading: 'Client details' },
    { name: 'new client', persona: 'host', path: '/apps/clientdetails/create/general?client=0', heading: 'New client' },
    {
      name: 'new clients',
      persona: 'host',
      path: '/apps/clientdetails/create/general?client=0&kind=csv',
      heading: 'New clients',
    },
    { name: 'client details', persona: 'manager', path: '/apps/clientdetails/general', heading: /./ },
    { name: 'audit log', persona: 'host', path: '/apps/audit?client=0', heading: 'Audit log' },
    { name: 'audit log, refused', persona: 'manager', path: '/apps/audit', heading: 'Audit log' },
    { name: 'access log', persona: 'host', path: '/apps/accesslog?client=0', heading: 'Access log' },
    { name: 'access log, refused', persona: 'manager', path: '/apps/accesslog', heading: 'Access log' },
    { name: 'outbox', persona: 'host', path: '/apps/outbox?client=0', heading: 'Email outbox' },
    { name: 'operations', persona: 'host', path: '/apps/operations', heading: 'Operations' },
    { name: 'case reviews', persona: 'host', path: '/apps/casereviews?client=0&timeframe=lastOneYear', heading: 'Case Reviews' },
    { name: 'calibration', persona: 'host', path: '/apps/casereviews?client=0&tab=calibration', heading: 'Case Reviews' },
    { name: 'case reviews, refused', persona: 'manager', path: '/apps/casereviews', heading: 'Case Reviews' },
    { name: 'mail subscriptions', persona: 'host', path: '/apps/mailsubscriptions?client=0', heading: 'Email subscriptions' },
    { name: 'own mails', persona: 'manager', path: '/apps/settings?tab=notifications', heading: 'Settings' },
    { name: 'chat accounts', persona: 'manager', path: '/apps/settings?tab=chat', heading: 'Settings' },
    { name: 'on call', persona: 'host', path: '/apps/deliveries?tab=oncall', heading: 'Deliveries' },
    { name: 'responses of all clients', persona: 'host', path: `/apps/response?client=0&${month}`, heading: 'Response' },
    { name: 'responses', persona: 'manager', path: '/apps/response', heading: 'Response' },
    { name: 'request of a response', persona: 'host', path: '/apps/response?client=12&new=1', heading: 'Response' },
    { name: 'approval rules', persona: 'host', path: '/apps/response?client=12&tab=rules', heading: 'Response' },
    { name: 'approval rules, to read', persona: 'manager', path: '/apps/response?tab=rules', heading: 'Response' },
    { name: 'protected assets', persona: 'host', path: '/apps/response?client=12&tab=protected', heading: 'Response' },
    { name: 'missing response', persona: 'manager', path: '/apps/response/2147483647', heading: 'Response 2147483647' },
    { name: 'identities', persona: 'host', path: '/apps/identities?client=10', heading: 'Identities' },
    { name: 'rules', persona: 'host', path: '/apps/rules?client=0', heading: 'Rules' },
    { name: 'case grouping', persona: 'host', path: '/apps/casegrouping', heading: 'Case grouping' },
    { name: 'rule packs', persona: 'host', path: '/apps/rulepacks', heading: 'Rule packs' },
    { name: 'missing import', persona: 'host', path: '/apps/ruleimport/2147483647', heading: 'Import' },
    {
      name: 'rule',
      persona: 'host',
      path: '/apps/rule/7a224e68-aed2-430f-a6a2-d0771e1538bd?client=10',
      heading: 'Mail-Flow Rule Copies or Redirects Mail',
    },
    { name: 'exceptions', persona: 'host', path: '/apps/exceptions?client=0', heading: 'Exceptions and suppressions' },
    {
      name: 'new suppression',
      persona: 'host',
      path: '/apps/exceptions?client=10&new=1&device=ALD-WS-028',
      heading: 'Suppressions',
    },
    { name: 'event search', persona: 'analyst', path: '/apps/events', heading: 'Event search' },
    { name: 'unprocessed events', persona: 'analyst', path: '/apps/events?tab=aside', heading: 'Event search' },
    { name: 'the intake', persona: 'analyst', path: '/apps/events?tab=intake', heading: 'Event search' },
    { name: 'threat intelligence', persona: 'host', path: '/apps/intelligence', heading: 'Threat intelligence' },
    { name: 'Sapphire’s questions', persona: 'host', path: '/apps/sapphire?client=0', heading: 'Sapphire' },
    { name: 'Sapphire’s knowledge', persona: 'host', path: '/apps/sapphire?client=0&tab=knowledge', heading: 'Sapphire' },
    { name: 'Sapphire’s teachers', persona: 'host', path: '/apps/sapphire?client=10&tab=teachers', heading: 'Sapphire' },
    { name: 'Sapphire’s page, refused', persona: 'manager', path: '/apps/sapphire', heading: 'Sapphire' },
    { name: 'choosing whose collectors', persona: 'host', path: '/apps/clientconfig/0', heading: 'Collection' },
    { name: 'collection', persona: 'clientAdmin', path: '/apps/clientconfig', heading: 'Collection' },
    { name: 'filebeat', persona: 'host', path: '/apps/filebeatconfig/10', heading: 'Filebeat' },
    { name: 'filebeat as text', persona: 'host', path: '/apps/filebeatconfig/10?tab=text', heading: 'Filebeat' },
    { name: 'filebeat’s versions', persona: 'host', path: '/apps/filebeatconfig/10?tab=versions', heading: 'Filebeat' },
    { name: 'winlogbeat', persona: 'host', path: '/apps/winlogbeatconfig/10', heading: 'Winlogbeat' },
    { name: 'auditbeat', persona: 'host', path: '/apps/auditbitconfig/10', heading: 'Auditbeat' },
    { name: 'packetbeat', persona: 'host', path: '/apps/packetbeatconfig/10', heading: 'Packetbeat' },
    { name: 'rsyslog', persona: 'host', path: '/apps/rsyslogconfig/10', heading: 'rsyslog' },
    { name: 'collectors, refused', persona: 'manager', path: '/apps/filebeatconfig', heading: 'Filebeat' },
    { name: 'answer by a link without its parts', path: '/emailCaseAction', heading: 'Case' },
    { name: 'end of a subscription', path: '/unsubscribe/none', heading: 'Unsubscribe' },
    { name: 'invitation to connect', path: '/connect/none', heading: 'Connect a service' },
    { name: 'consent to an assistant', persona: 'analyst', path: '/assistants/none', heading: 'Connect an assistant' },
    { name: 'end of a consent', path: '/connect/result?outcome=notAdministrator', heading: 'Not connected' },
    ...['contacts', 'escalation', 'playbook', 'branding', 'sign-in', 'retention', 'ingest-keys', 'setup', 'offboarding'].map(
      (tab) => ({
        name: `client details, ${tab}`,
        persona: 'host' as const,
        path: `/apps/clientdetails/${tab}?client=${tab === 'branding' ? 2 : 10}`,
        heading: /./,
      }),
    ),
    { name: 'not found', persona: 'analyst', path: '/pages/errors/error-404', heading: 'Page not found' },
    { name: 'FAQ', persona: 'analyst', path: '/pages/faq', heading: 'FAQ' },
  ];
}

const faq = '/pages/faq';

/** Follows an address in the loaded page, as a link does. */
const follow = (page: Page, path: string) => page.evaluate((to) => history.pushState(null, '', to), path);

/**
 * Opens a route as its persona and waits until the page is idle. The first route loads the page; later ones, of the same persona,
 * follow by way of the FAQ, so that the heading of an earlier page is not taken for theirs.
 */
export async function openRoute(page: Page, { persona, path, heading }: Route): Promise<void> {
  if (!page.url().startsWith(portal.url)) {
    if (persona) await keepToken(page, tokenOf(persona));
    await page.goto(path);
  } else if (path === faq) {
    await follow(page, faq);
  } else {
    await follow(page, faq);
    await isSettled(page, 'FAQ');
    await follow(page, path);
    await expect(page.getByRole('heading', { name: 'FAQ', level: 1 })).toHaveCount(0);
  }
  await isSettled(page, heading);
}

/** Waits until the page has its heading and is idle. */
export async function isSettled(page: Page, heading: string | RegExp): Promise<void> {
  const title = page.getByRole('heading', { name: heading, level: 1 });
  // Some headings are visually hidden, and an open dialog hides them from the accessibility tree.
  await expect(title.or(page.getByRole('dialog')).first()).toBeAttached();
  await isPageIdle(page);
}

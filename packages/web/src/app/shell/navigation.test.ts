import { expect, test } from 'vitest';
import {
  faqAddress,
  isOpenAt,
  leavesOf,
  matchingPages,
  type NavItem,
  navigationFor,
  pagesFor,
  plain,
  showsFaq,
  visibleTo,
} from './navigation.ts';

const who = (role: string, isPartner = false, organisationId = 10) => ({ role, isPartner, organisationId });
const titles = (role: string, isPartner = false, hostname = 'localhost') =>
  navigationFor(who(role, isPartner), { helpURL: '' }, hostname).map((group) => [
    group.title,
    ...leavesOf([group]).map((item) => item.title),
  ]);

test('shows signed-in users the pages that they may read', () => {
  for (const role of ['Host', 'Administrator', 'Manager', 'Analyst', 'Partner Analyst', 'Unknown']) {
    expect(titles(role)).toEqual([
      ['Analytics', 'Dashboard', 'Risk Score', 'Data Sources'],
      ['Security', 'Alerts', 'Cases', 'Attack Indicators', 'Vulnerability', 'Response'],
      ['Management', 'Agent', 'Reporting', 'Settings', 'FAQ'],
    ]);
  }
});

test('shows case reviews to Host and Partner Analyst only', () => {
  const seers = ['Host', 'Administrator', 'Manager', 'Analyst', 'Partner Analyst', 'Unknown'].filter((role) =>
    titles(role, true).flat().includes('Case Reviews'),
  );
  expect(seers).toEqual(['Host', 'Partner Analyst']);
});

test('shows nothing to guests and empty roles', () => {
  expect(navigationFor(undefined, { helpURL: '' }, 'localhost')).toEqual([]);
  expect(titles('')).toEqual([]);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['parapet.example', true],
  ['portal.parapet.example', true],
  ['dev.parapet.example', true],
  ['staging.parapet.example', true],
  ['harbor.parapet.example', false],
  ['harbor.localhost', false],
])('shows the FAQ item on %s: %s', (hostname, shown) => {
  expect(showsFaq(hostname)).toBe(shown);
});

test('links the FAQ to the brand’s help, else to the portal’s page', () => {
  expect(faqAddress({ helpURL: 'https://help.example/start' })).toEqual({ url: 'https://help.example/start', isExternal: true });
  expect(faqAddress({ helpURL: '' })).toEqual({ url: '/pages/faq', isExternal: false });
  expect(faqAddress({ helpURL: 'javascript:alert(1)' })).toEqual({ url: '/pages/faq', isExternal: false });
  const outside = navigationFor(who('Manager'), { helpURL: 'https://help.example' }, 'localhost');
  expect(leavesOf(outside).at(-1)).toMatchObject({ type: 'link', url: 'https://help.example', target: '_blank' });
});

const item = (id: string, more: Partial<NavItem> = {}): NavItem => ({ id, title: id, type: 'item', url: `/apps/${id}`, ...more });
const line = (id: string): NavItem => ({ id, title: '', type: 'divider' });

test('filters a tree by role', () => {
  const tree: NavItem[] = [
    line('first'),
    item('open'),
    line('one'),
    line('two'),
    {
      id: 'more',
      title: 'More',
      type: 'collapse',
      children: [item('reviews', { auth: 'admin' }), item('deep', { auth: 'staff' })],
    },
    { id: 'empty', title: 'Empty', type: 'group', children: [item('hidden', { needs: 'audit:read' })] },
    line('last'),
  ];
  const ids = (items: NavItem[]): unknown[] => items.map(({ id, children }) => (children ? [id, ids(children)] : id));
  expect(ids(visibleTo(who('Analyst'), tree))).toEqual(['open']);
  expect(ids(visibleTo(who('Partner Analyst', true, 2), tree))).toEqual(['open', 'one', ['more', ['deep']]]);
  expect(ids(visibleTo(who('Administrator'), tree))).toEqual([
    'open',
    'one',
    ['more', ['reviews', 'deep']],
    ['empty', ['hidden']],
  ]);
  expect(visibleTo(undefined, tree)).toEqual([]);
});

test('marks the list as open on the page of its object', () => {
  const alerts = item('alerts');
  expect(['/apps/alerts', '/apps/alerts/10', '/apps/alert/5'].map((path) => isOpenAt(alerts, path))).toEqual([true, true, true]);
  expect(isOpenAt(alerts, '/apps/alertsandmore')).toBe(false);
  expect(isOpenAt(item('alerts', { exact: true }), '/apps/alerts/10')).toBe(false);
  expect(isOpenAt(item('alerts', { type: 'link' }), '/apps/alerts')).toBe(false);
});

const pages = (role: string, isPartner = false) => pagesFor(who(role, isPartner), { helpURL: '' }, 'localhost');

test('lists the pages that the role may read', () => {
  expect(pages('Analyst').map(({ id }) => id)).toEqual([
    'dashboard',
    'risk-score',
    'devices',
    'alerts',
    'cases',
    'attack-indicators',
    'vulnerability',
    'responses',
    'agents',
    'reporting',
    'settings',
    'faq',
    'events',
    'clientdetails',
  ]);
  expect(pages('Administrator').map(({ id }) => id)).toContain('audit');
  expect(pages('Analyst').map(({ address }) => address)).toEqual([
    '/apps/dashboard',
    '/apps/risk-score',
    '/apps/devices',
    '/apps/alerts',
    '/apps/cases',
    '/apps/attack-indicators',
    '/apps/vulnerability',
    '/apps/response',
    '/apps/agents',
    '/apps/reporting',
    '/apps/settings',
    '/pages/faq',
    '/apps/events',
    '/apps/clientdetails/general',
  ]);
});

test.each([
  ['', 'dashboard'],
  ['ALER', 'alerts'],
  ['  data   sour ', 'devices'],
  ['dáta', 'devices'],
  ['escalation contacts', 'clientdetails'],
  ['se', 'settings'],
  ['event', 'events'],
  ['vuln', 'vulnerability'],
  ['repo', 'reporting'],
])('%j finds %s first', (text, id) => {
  expect(matchingPages(pages('Administrator'), text)[0]?.id).toBe(id);
});

test('finds nothing for unknown texts', () => {
  for (const text of ['zzz', '(', '\\', '.*', '😀', 'alerts zzz'])
    expect(matchingPages(pages('Administrator'), text)).toEqual([]);
});

test('normalises case and accents', () => {
  expect(plain('Ägir É ﬁn')).toBe('agir e fin');
});

/**
 * The navigation as data (spec §2.2, §3): a tree of group, collapse, item, link and divider. `auth` limits an entry to roles, `needs` to a
 * permission, so that no entry leads to a page that can only refuse.
 */
import { type AuthGroup, groupsOf, may, type Permission, type RoleHolder } from '@parapet/contract/access.ts';
import type { Brand } from '@parapet/contract/brand.ts';
import { administrationFor } from '../../features/settings/administration.ts';
import { linkOf } from '../../lib/brand.ts';
import { configRoutes, paths } from '../../lib/paths.ts';

export interface NavItem {
  id: string;
  title: string;
  /** group: a heading; collapse: opens and closes; item: a page; link: another site; divider: a line. */
  type: 'group' | 'collapse' | 'item' | 'link' | 'divider';
  /** The user group; without it every signed-in user. */
  auth?: AuthGroup;
  needs?: Permission;
  /** The address without client and timeframe. */
  url?: string;
  /** Pages reached from it, for which it is marked as open. */
  leadsTo?: readonly string[];
  /** Matches this address only, not those below it. */
  exact?: boolean;
  target?: '_blank';
  badge?: { title: string; bg?: string; fg?: string };
  children?: NavItem[];
}

/** The FAQ item is for production, dev, staging and local hosts (spec §2.2); partners’ sub-domains have the link in the footer. */
export function showsFaq(hostname: string): boolean {
  if (/^[\d.]+$/.test(hostname) || hostname.includes(':')) return true;
  const labels = hostname.toLowerCase().split('.');
  if (labels.at(-1) === 'localhost') return labels.length === 1;
  return labels.length < 3 || ['www', 'portal', 'dev', 'staging', 'demo'].includes(labels[0]!);
}

/** The brand’s help pages, else the portal’s own. */
export function faqAddress(brand: Pick<Brand, 'helpURL'>): { url: string; isExternal: boolean } {
  const help = linkOf(brand.helpURL);
  return help && !help.startsWith('/') ? { url: help, isExternal: true } : { url: help ?? paths.faq(), isExternal: false };
}

/** Pages that the item of the settings leads to. */
const belowSettings = [
  paths.users(),
  paths.profile(),
  '/apps/clientdetails',
  paths.audit(),
  paths.accessLog(),
  paths.outbox(),
  paths.operations(),
  paths.mailSubscriptions(),
  paths.identities(),
  paths.rules(),
  paths.exceptions(),
  paths.rulePacks(),
  paths.caseGrouping(),
  paths.intelligence(),
  paths.sapphire(),
  ...Object.values(configRoutes).map((route) => `/apps/${route}`),
];

function wholeTree(brand: Pick<Brand, 'helpURL'>, hostname: string): NavItem[] {
  const faq = faqAddress(brand);
  return [
    {
      id: 'analytics',
      title: 'Analytics',
      type: 'group',
      children: [
        {
          id: 'dashboard',
          title: 'Dashboard',
          type: 'item',
          needs: 'dashboard:read',
          url: paths.dashboard(),
        },
        {
          id: 'risk-score',
          title: 'Risk Score',
          type: 'item',
          needs: 'dashboard:read',
          url: paths.riskScore(),
        },
        {
          id: 'devices',
          title: 'Data Sources',
          type: 'item',
          needs: 'devices:read',
          url: paths.devices(),
        },
      ],
    },
    {
      id: 'security',
      title: 'Security',
      type: 'group',
      children: [
        { id: 'alerts', title: 'Alerts', type: 'item', needs: 'alerts:read', url: paths.alerts() },
        { id: 'cases', title: 'Cases', type: 'item', needs: 'cases:read', url: paths.cases() },
        { id: 'casereviews', title: 'Case Reviews', type: 'item', needs: 'reviews:use', url: paths.caseReviews() },
        {
          id: 'attack-indicators',
          title: 'Attack Indicators',
          type: 'item',
          needs: 'dashboard:read',
          url: paths.attackIndicators(),
        },
        {
          id: 'vulnerability',
          title: 'Vulnerability',
          type: 'item',
          needs: 'dashboard:read',
          url: paths.vulnerability(),
        },
        {
          id: 'responses',
          title: 'Response',
          type: 'item',
          needs: 'responses:read',
          url: paths.responses(),
        },
      ],
    },
    {
      id: 'management',
      title: 'Management',
      type: 'group',
      children: [
        { id: 'agents', title: 'Agent', type: 'item', needs: 'devices:read', url: paths.agents() },
        {
          id: 'reporting',
          title: 'Reporting',
          type: 'item',
          needs: 'dashboard:read',
          url: paths.reporting(),
        },
        {
          id: 'settings',
          title: 'Settings',
          type: 'item',
          url: paths.settings(),
          leadsTo: belowSettings,
        },
        ...(showsFaq(hostname)
          ? [
              faq.isExternal
                ? ({ id: 'faq', title: 'FAQ', type: 'link', url: faq.url, target: '_blank' } as const)
                : ({ id: 'faq', title: 'FAQ', type: 'item', url: faq.url } as const),
            ]
          : []),
      ],
    },
  ];
}

/** The part of a tree that this user may see, without empty groups and superfluous dividers. */
export function visibleTo(who: RoleHolder | undefined, items: readonly NavItem[]): NavItem[] {
  const groups = groupsOf(who);
  const seen = items.flatMap((item): NavItem[] => {
    if (!groups.includes(item.auth ?? 'user') || (item.needs && !may(who, item.needs))) return [];
    if (item.type !== 'group' && item.type !== 'collapse') return [item];
    const children = visibleTo(who, item.children ?? []);
    return children.length > 0 ? [{ ...item, children }] : [];
  });
  const isLine = (item: NavItem | undefined) => item === undefined || item.type === 'divider';
  const entries = seen.filter((item, index) => !isLine(item) || !isLine(seen[index - 1]));
  return isLine(entries.at(-1)) ? entries.slice(0, -1) : entries;
}

export const navigationFor = (who: RoleHolder | undefined, brand: Pick<Brand, 'helpURL'>, hostname: string): NavItem[] =>
  visibleTo(who, wholeTree(brand, hostname));

/** The pages of a tree, flat. */
export const leavesOf = (items: readonly NavItem[]): NavItem[] =>
  items.flatMap((item) => (item.children ? leavesOf(item.children) : item.type === 'divider' ? [] : [item]));

/** True when the path is the item’s page or an object of its list: /apps/alert/5 belongs to /apps/alerts. */
export function isOpenAt(item: NavItem, pathname: string): boolean {
  if (item.type !== 'item' || item.url === undefined) return false;
  if (item.exact) return pathname === item.url;
  return [item.url, item.url.replace(/s$/, ''), ...(item.leadsTo ?? [])].some(
    (base) => pathname === base || pathname.startsWith(`${base}/`),
  );
}

export interface Page {
  id: string;
  title: string;
  /** The purpose, or the place in the menu. */
  detail: string;
  address: string;
  isExternal: boolean;
}

/** Pages without a place in the menu (spec §2.2) that are not administration; found by the search. */
const besidesMenu: readonly (Page & { needs: Permission })[] = [
  {
    id: 'events',
    title: 'Event search',
    detail: 'Raw events by text, device, user, field and time.',
    needs: 'events:read',
    address: paths.events(),
    isExternal: false,
  },
];

/** The pages that can be starred and searched: the menu, those beside it and the administration. */
export function pagesFor(who: RoleHolder | undefined, brand: Pick<Brand, 'helpURL'>, hostname: string): Page[] {
  const menu = navigationFor(who, brand, hostname).flatMap((group) =>
    leavesOf([group]).map((item) => ({
      id: item.id,
      title: item.title,
      detail: group.title,
      address: item.url ?? '/',
      isExternal: item.type === 'link',
    })),
  );
  const administration = administrationFor((permission) => may(who, permission), who?.organisationId ?? 0).map((page) => ({
    id: page.id,
    title: page.title,
    detail: page.purpose,
    address: page.url,
    isExternal: false,
  }));
  const others = besidesMenu.filter(({ needs }) => may(who, needs)).map(({ needs: _needs, ...page }) => page);
  return [...menu, ...others, ...administration];
}

/** Normalises text for matching: no case, no accents. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** Pages with every word of the text in their title, or at the start of a word of their purpose; titles that begin with the text first. */
export function matchingPages<Kind extends Pick<Page, 'title' | 'detail'>>(pages: readonly Kind[], text: string): Kind[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const rank = (page: Kind) =>
    plain(page.title).startsWith(words.join(' ')) ? 0 : plain(page.title).includes(words[0] ?? '') ? 1 : 2;
  const has = (page: Kind, word: string) =>
    plain(page.title).includes(word) ||
    plain(page.detail)
      .split(/[^\p{L}\p{N}]+/u)
      .some((each) => each.startsWith(word));
  return pages
    .filter((page) => words.every((word) => has(page, word)))
    .map((page, index) => ({ page, index, rank: words.length > 0 ? rank(page) : 0 }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ page }) => page);
}

/**
 * The navigation as data (spec §2.2): groups and items of pages that exist. An item shows only to roles that its `auth` allows; an item
 * of a page that reads data also needs that permission, so that nobody is led to a page that can only refuse.
 */
import { type AuthGroup, groupsOf, may, type Permission, type RoleHolder } from '@parapet/contract/access.ts';
import type { Brand } from '@parapet/contract/brand.ts';
import { linkOf } from '../../lib/brand.ts';
import { paths, type Query } from '../../lib/paths.ts';

export type NavIcon = 'dashboard' | 'devices' | 'alerts' | 'settings' | 'faq';

export interface NavItem {
  id: string;
  title: string;
  icon: NavIcon;
  auth: AuthGroup;
  needs?: Permission;
  /** The address without client and timeframe: what is open is recognised by it. */
  base: string;
  /** Pages that are reached from it. */
  leadsTo?: readonly string[];
  url: (client: number | undefined, query: Query) => string;
  /** Another site: opens in a new tab. */
  isExternal?: true;
}

export interface NavGroup {
  id: string;
  title: string;
  children: NavItem[];
}

export const navigation: NavGroup[] = [
  {
    id: 'analytics',
    title: 'Analytics',
    children: [
      {
        id: 'dashboard',
        title: 'Dashboard',
        icon: 'dashboard',
        auth: 'user',
        needs: 'dashboard:read',
        base: paths.dashboard(),
        url: paths.dashboard,
      },
      {
        id: 'devices',
        title: 'Data Sources',
        icon: 'devices',
        auth: 'user',
        needs: 'devices:read',
        base: paths.devices(),
        // Its page has no timeframe selector.
        url: (client) => paths.devices(client),
      },
    ],
  },
  {
    id: 'security',
    title: 'Security',
    children: [
      {
        id: 'alerts',
        title: 'Alerts',
        icon: 'alerts',
        auth: 'user',
        needs: 'alerts:read',
        base: paths.alerts(),
        url: paths.alerts,
      },
    ],
  },
];

/** The FAQ item is for production, dev, staging and local hosts (spec §2.2); partners' sub-domains have the footer's link. */
export function showsFaq(hostname: string): boolean {
  if (/^[\d.]+$/.test(hostname) || hostname.includes(':')) return true;
  const labels = hostname.toLowerCase().split('.');
  if (labels.at(-1) === 'localhost') return labels.length === 1;
  return labels.length < 3 || ['www', 'portal', 'dev', 'staging', 'demo'].includes(labels[0]!);
}

/** The brand's help pages, else the portal's own (decision 25). */
export function faqAddress(brand: Pick<Brand, 'helpURL'>): { url: string; isExternal: boolean } {
  const help = linkOf(brand.helpURL);
  return help && !help.startsWith('/') ? { url: help, isExternal: true } : { url: help ?? paths.faq(), isExternal: false };
}

/** What this user sees, empty groups left out. */
export function navigationFor(who: RoleHolder | undefined, brand: Pick<Brand, 'helpURL'>, hostname: string): NavGroup[] {
  const groups = groupsOf(who);
  const faq = faqAddress(brand);
  const management: NavGroup = {
    id: 'management',
    title: 'Management',
    children: [
      {
        id: 'settings',
        title: 'Settings',
        icon: 'settings',
        auth: 'user',
        base: paths.settings(),
        leadsTo: [paths.users(), paths.profile(), '/apps/clientdetails', paths.audit(), paths.outbox()],
        url: paths.settings,
      },
      ...(showsFaq(hostname)
        ? [
            {
              id: 'faq',
              title: 'FAQ',
              icon: 'faq' as const,
              auth: 'user' as const,
              base: paths.faq(),
              url: () => faq.url,
              ...(faq.isExternal ? { isExternal: true as const } : {}),
            },
          ]
        : []),
    ],
  };
  return [...navigation, management]
    .map((group) => ({
      ...group,
      children: group.children.filter((item) => groups.includes(item.auth) && (!item.needs || may(who, item.needs))),
    }))
    .filter((group) => group.children.length > 0);
}

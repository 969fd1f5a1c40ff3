/** The navigation tree: groups with their items, the open page marked. */
import DnsOutlined from '@mui/icons-material/DnsOutlined';
import GppMaybeOutlined from '@mui/icons-material/GppMaybeOutlined';
import HelpOutlineRounded from '@mui/icons-material/HelpOutlineRounded';
import OpenInNewRounded from '@mui/icons-material/OpenInNewRounded';
import SettingsOutlined from '@mui/icons-material/SettingsOutlined';
import SpaceDashboardOutlined from '@mui/icons-material/SpaceDashboardOutlined';
import { styled } from '@mui/material/styles';
import type { Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { useLocation } from '@tanstack/react-router';
import { Fragment } from 'react';
import { AppLink } from '../../lib/AppLink.tsx';
import { useBrand } from '../../lib/brand.ts';
import { useScope } from '../../lib/scope.ts';
import { type NavIcon, type NavItem, navigationFor } from './navigation.ts';

const icons: Record<NavIcon, typeof DnsOutlined> = {
  dashboard: SpaceDashboardOutlined,
  devices: DnsOutlined,
  alerts: GppMaybeOutlined,
  settings: SettingsOutlined,
  faq: HelpOutlineRounded,
};

const Tree = styled('nav')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    flex: 1,
    minHeight: 0,
    overflowY: 'auto',
    overflowX: 'hidden',
    padding: '4px 12px 16px',
    '& h2': {
      margin: 0,
      padding: '14px 6px 4px',
      fontSize: 12,
      lineHeight: '16px',
      fontWeight: 600,
      color: palette.text.secondary,
    },
    '& ul': { listStyle: 'none', margin: 0, padding: 0 },
    '& li': { margin: '2px 0' },
    '& hr': { border: 0, borderTop: `1px solid ${palette.divider}`, margin: '8px 4px' },
    '& a': {
      display: 'flex',
      alignItems: 'center',
      gap: 12,
      height: 38,
      padding: '0 10px',
      borderRadius: 8,
      fontSize: 14,
      fontWeight: 500,
      whiteSpace: 'nowrap',
      textDecoration: 'none',
      color: palette.text.primary,
      '& svg': { fontSize: 20, color: palette.text.secondary, flex: 'none' },
      '&:hover': { backgroundColor: palette.action.hover },
      '&[aria-current]': {
        fontWeight: 600,
        color: palette.primary.main,
        backgroundColor: `color-mix(in srgb, ${palette.primary.main} 10%, transparent)`,
        '& svg': { color: palette.primary.main },
      },
      '&:focus-visible': { outlineOffset: -2 },
      '& .away': { fontSize: 14, marginLeft: 'auto' },
    },
  };
});

interface Props {
  client: number | undefined;
  timeframe: Timeframe | undefined;
  isNarrow: boolean;
  onGo: () => void;
}

export function Navigation({ client, timeframe, isNarrow, onGo }: Props) {
  const { who } = useScope();
  const brand = useBrand();
  const pathname = useLocation({ select: (location) => location.pathname });
  // A page about one thing belongs to its list: /apps/alert/5 to /apps/alerts.
  const isOpen = (item: NavItem) =>
    [item.base, item.base.replace(/s$/, ''), ...(item.leadsTo ?? [])].some(
      (base) => pathname === base || pathname.startsWith(`${base}/`),
    );

  const link = (item: NavItem) => {
    const Icon = icons[item.icon];
    const inside = (
      <>
        <Icon aria-hidden />
        {!isNarrow && item.title}
        {!isNarrow && item.isExternal && <OpenInNewRounded className="away" aria-hidden />}
      </>
    );
    const shared = isNarrow ? { 'aria-label': item.title, title: item.title } : {};
    const href = item.url(client, timeframe ? { timeframe } : {});
    return item.isExternal ? (
      <a href={href} target="_blank" rel="noreferrer" {...shared}>
        {inside}
      </a>
    ) : (
      <AppLink href={href} onClick={onGo} aria-current={isOpen(item) ? 'page' : undefined} {...shared}>
        {inside}
      </AppLink>
    );
  };

  return (
    <Tree aria-label="Main">
      {navigationFor(who, brand, location.hostname).map((group, index) => (
        <Fragment key={group.id}>
          {isNarrow ? index > 0 && <hr /> : <h2 id={`nav-${group.id}`}>{group.title}</h2>}
          <ul {...(isNarrow ? { 'aria-label': group.title } : { 'aria-labelledby': `nav-${group.id}` })}>
            {group.children.map((item) => (
              <li key={item.id}>{link(item)}</li>
            ))}
          </ul>
        </Fragment>
      ))}
    </Tree>
  );
}

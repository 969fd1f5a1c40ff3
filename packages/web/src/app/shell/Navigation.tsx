/** The navigation tree, beside the content as a column or above it as a row; the open page is marked. */
import { styled } from '@mui/material/styles';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ExpandMoreRounded } from '../../kit/icons/ExpandMoreRounded.tsx';
import { OpenInNewRounded } from '../../kit/icons/OpenInNewRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { useBrand } from '../../lib/brand.ts';
import { useScope } from '../../lib/scope.ts';
import { Along } from './Along.tsx';
import { isOpenAt, leavesOf, type NavItem, navigationFor } from './navigation.ts';
import { PageIcon } from './pageIcons.tsx';

const Tree = styled('nav')({
  '& h2': {
    margin: 0,
    padding: '12px 10px 4px',
    fontSize: 12,
    lineHeight: '16px',
    fontWeight: 600,
    color: palette.text.secondary,
  },
  '& ul': { listStyle: 'none', margin: 0, padding: 0 },
  '& li': { margin: '2px 0' },
  '& li ul': { paddingLeft: 14 },
  '& .line': { borderTop: `1px solid ${palette.divider}`, margin: '8px 4px' },
  '& a, & .opener': {
    display: 'flex',
    alignItems: 'center',
    gap: 12,
    width: '100%',
    height: 38,
    padding: '0 10px',
    border: 0,
    borderRadius: 8,
    font: 'inherit',
    fontSize: 14,
    fontWeight: 500,
    textAlign: 'start',
    whiteSpace: 'nowrap',
    textDecoration: 'none',
    color: palette.text.primary,
    background: 'none',
    cursor: 'pointer',
    '& svg': { fontSize: 20, color: palette.text.secondary, flex: 'none' },
    '&:hover': { backgroundColor: palette.action.hover },
    '&[aria-current]': {
      fontWeight: 600,
      backgroundColor: `color-mix(in srgb, ${palette.primary.main} 10%, transparent)`,
      '& svg': { color: palette.primary.main },
    },
    '&:focus-visible': { outlineOffset: -2 },
    '& .title': { overflow: 'hidden', textOverflow: 'ellipsis' },
    '& .away, & .turn': { fontSize: 14, marginInlineStart: 'auto' },
    '& [aria-expanded=true] .turn': { transform: 'rotate(180deg)' },
    '& .badge': {
      marginInlineStart: 'auto',
      padding: '0 6px',
      borderRadius: 8,
      fontSize: 12,
      lineHeight: '18px',
      fontWeight: 600,
      color: palette.text.primary,
      backgroundColor: palette.action.selected,
    },
  },
  '&[data-way=down]': { flex: 1, minHeight: 0, overflow: 'hidden auto', padding: '0 12px 12px' },
  '&[data-way=along]': {
    minWidth: 0,
    '& > ul': { display: 'flex', gap: 4 },
    '& > ul > li': { flex: 'none' },
    '& li.starts-group': { marginInlineStart: 6, paddingInlineStart: 6, borderInlineStart: `1px solid ${palette.divider}` },
  },
});

interface Props {
  /** Icons only. */
  isNarrow?: boolean;
  way?: 'down' | 'along';
  onGo?: () => void;
}

export function Navigation({ isNarrow = false, way = 'down', onGo }: Props) {
  const { who } = useScope();
  const brand = useBrand();
  const pathname = useLocation({ select: (location) => location.pathname });
  const tree = navigationFor(who, brand, location.hostname);

  const link = (item: NavItem) => {
    const inside = (
      <>
        <PageIcon id={item.id} />
        {!isNarrow && <span className="title">{item.title}</span>}
        {!isNarrow && item.badge && (
          <span className="badge" style={{ color: item.badge.fg, backgroundColor: item.badge.bg }}>
            {item.badge.title}
          </span>
        )}
        {!isNarrow && item.type === 'link' && <OpenInNewRounded className="away" aria-hidden />}
      </>
    );
    const name = item.badge ? `${item.title}, ${item.badge.title}` : item.title;
    const shared = isNarrow ? { 'aria-label': name, title: name } : {};
    const href = item.url ?? '/';
    return item.type === 'link' ? (
      <a href={href} target={item.target} rel="noreferrer" {...shared}>
        {inside}
      </a>
    ) : (
      <AppLink
        href={href}
        target={item.target}
        onClick={onGo}
        aria-current={isOpenAt(item, pathname) ? 'page' : undefined}
        {...shared}
      >
        {inside}
      </AppLink>
    );
  };

  const entry = (item: NavItem): ReactNode => {
    if (item.type === 'divider') return <li key={item.id} className="line" aria-hidden />;
    if (item.type === 'group') {
      return (
        <li key={item.id}>
          {isNarrow ? tree[0]?.id !== item.id && <div className="line" /> : <h2 id={`nav-${item.id}`}>{item.title}</h2>}
          <ul {...(isNarrow ? { 'aria-label': item.title } : { 'aria-labelledby': `nav-${item.id}` })} style={{ padding: 0 }}>
            {item.children?.map(entry)}
          </ul>
        </li>
      );
    }
    if (item.type === 'collapse') {
      // The folded drawer has no room for nested items.
      if (isNarrow) return item.children?.map(entry);
      const isOpen = leavesOf([item]).some((leaf) => isOpenAt(leaf, pathname));
      return (
        <Collapse key={item.id} item={item} isOpenAtFirst={isOpen}>
          {item.children?.map(entry)}
        </Collapse>
      );
    }
    return <li key={item.id}>{link(item)}</li>;
  };

  return (
    <Tree aria-label="Main" data-way={way}>
      {way === 'down' ? (
        <ul>{tree.map(entry)}</ul>
      ) : (
        <Along
          items={tree.flatMap((group, index) =>
            leavesOf([group]).map((item, at) => ({ id: item.id, startsGroup: index > 0 && at === 0, link: link(item) })),
          )}
        />
      )}
    </Tree>
  );
}

function Collapse({ item, isOpenAtFirst, children }: { item: NavItem; isOpenAtFirst: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <li>
      <button type="button" className="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <PageIcon id={item.id} />
        <span className="title">{item.title}</span>
        <ExpandMoreRounded className="turn" aria-hidden />
      </button>
      {isOpen && <ul>{children}</ul>}
    </li>
  );
}

/** Tabs as addresses, each of which can be linked, opened in a new tab and reached by Back. */
import { styled } from '@mui/material/styles';
import { useEffect, useRef } from 'react';
import { palette } from '../kit/palette.ts';
import { AppLink } from './AppLink.tsx';

const Bar = styled('nav')({
  marginBottom: 16,
  borderBottom: `1px solid ${palette.divider}`,
  overflowX: 'auto',
  '& ul': { display: 'flex', gap: 4, margin: 0, padding: 0, listStyle: 'none' },
  '& a': {
    display: 'block',
    padding: '8px 10px',
    fontWeight: 500,
    whiteSpace: 'nowrap',
    textDecoration: 'none',
    color: palette.text.secondary,
    borderBottom: '2px solid transparent',
    '&:hover': { color: palette.text.primary },
    '&[aria-current]': { color: palette.primary.main, borderBottomColor: palette.primary.main, fontWeight: 600 },
    '&:focus-visible': { outlineOffset: -2 },
  },
});

interface Props {
  label: string;
  tabs: readonly { id: string; title: string; href: string }[];
  current: string;
}

export function TabLinks({ label, tabs, current }: Props) {
  const bar = useRef<HTMLElement>(null);
  // Scrolls the open tab into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is another place.
  useEffect(() => {
    const open = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (bar.current && open) bar.current.scrollLeft = open.offsetLeft - bar.current.offsetLeft - 40;
  }, [current]);
  return (
    <Bar ref={bar} aria-label={label}>
      <ul>
        {tabs.map(({ id, title, href }) => (
          <li key={id}>
            <AppLink href={href} aria-current={id === current ? 'page' : undefined}>
              {title}
            </AppLink>
          </li>
        ))}
      </ul>
    </Bar>
  );
}

/** A titled panel with a door to what lies behind it. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import { type ReactNode, useId } from 'react';
import { AppLink } from '../../../lib/AppLink.tsx';

const Root = styled('section')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'flex',
    flexDirection: 'column',
    minWidth: 0,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    backgroundColor: palette.background.paper,
    '& > header': { display: 'flex', alignItems: 'baseline', justifyContent: 'space-between', gap: 16, padding: '12px 16px 8px' },
    '& h2': { margin: 0, fontSize: 16, lineHeight: '24px', fontWeight: 600 },
    '& header > a': { fontSize: 13, whiteSpace: 'nowrap' },
  };
});

interface Props {
  title: string;
  /** Where all of it is. */
  door?: { href: string; text: string };
  children: ReactNode;
}

export function Panel({ title, door, children }: Props) {
  const id = useId();
  return (
    <Root aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {door && (
          <Link component={AppLink} href={door.href}>
            {door.text}
          </Link>
        )}
      </header>
      {children}
    </Root>
  );
}

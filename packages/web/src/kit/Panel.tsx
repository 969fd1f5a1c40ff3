/** A titled panel; at the right of its title what leads on: a link to all of it, a menu. */
import { styled } from '@mui/material/styles';
import { type ReactNode, useId } from 'react';
import { palette } from './palette.ts';

const Root = styled('section')({
  display: 'flex',
  flexDirection: 'column',
  minWidth: 0,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '& > header': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '0 16px',
    padding: '12px 16px 8px',
  },
  '& h2': { margin: 0, fontSize: 16, lineHeight: '24px', fontWeight: 600 },
  '& .end': {
    display: 'inline-flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '0 12px',
    fontSize: 13,
    whiteSpace: 'nowrap',
  },
});

export function Panel({ title, end, children }: { title: string; end?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Root aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {end && <span className="end">{end}</span>}
      </header>
      {children}
    </Root>
  );
}

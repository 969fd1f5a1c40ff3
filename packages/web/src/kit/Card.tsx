/** A titled part of a page, in a hairline box. */
import { styled } from '@mui/material/styles';
import { type ReactNode, useId } from 'react';
import { palette } from './palette.ts';

const Sheet = styled('section')({
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  padding: '16px 20px 20px',
  minWidth: 0,
  '& > h2': { margin: 0, fontSize: 16, lineHeight: '24px', fontWeight: 600, overflowWrap: 'anywhere' },
  '& > .purpose': { margin: '2px 0 0', fontSize: 13, color: palette.text.secondary },
  '& > .inside': { marginTop: 16 },
  '&[data-wide]': { gridColumn: '1 / -1' },
  '&[data-tone=danger]': { borderColor: palette.error.main },
});

interface Props {
  title: string;
  purpose?: ReactNode;
  /** Takes all columns of its grid. */
  isWide?: boolean;
  /** Actions that remove something. */
  isDanger?: boolean;
  children: ReactNode;
}

export function Card({ title, purpose, isWide = false, isDanger = false, children }: Props) {
  const id = useId();
  return (
    <Sheet aria-labelledby={id} data-wide={isWide || undefined} data-tone={isDanger ? 'danger' : undefined}>
      <h2 id={id}>{title}</h2>
      {purpose && <p className="purpose">{purpose}</p>}
      <div className="inside">{children}</div>
    </Sheet>
  );
}

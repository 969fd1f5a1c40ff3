/** Steps, each with a mark of its completion. */
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { CheckCircleRounded } from './icons/CheckCircleRounded.tsx';
import { RadioButtonUncheckedRounded } from './icons/RadioButtonUncheckedRounded.tsx';
import { palette } from './palette.ts';

export const Checklist = styled('ol')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '4px 12px',
    padding: '10px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0 },
  '& > li > svg': { flex: 'none', fontSize: 22, color: palette.text.secondary },
  '& > li[data-done] > svg': { color: palette.success.main },
  '& .text': { flex: '1 1 260px', minWidth: 0, fontSize: 13 },
  '& .text > strong': { display: 'block', fontSize: 14, fontWeight: 600 },
  '& .text > span': { color: palette.text.secondary },
});

interface Props {
  title: string;
  text: string;
  isDone: boolean;
  /** Present state; announced when it changes, unless it is a note. */
  state?: ReactNode;
  isNote?: boolean;
  /** Actions. */
  children: ReactNode;
}

export const ChecklistStep = ({ title, text, isDone, state, isNote = false, children }: Props) => (
  <li data-done={isDone || undefined}>
    {isDone ? <CheckCircleRounded titleAccess="Done" /> : <RadioButtonUncheckedRounded titleAccess="Open" />}
    <div className="text">
      <strong>{title}</strong>
      <span>{text}</span> {state && <span role={isNote ? undefined : 'status'}>{state}</span>}
    </div>
    {children}
  </li>
);

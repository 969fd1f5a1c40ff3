/** Above a list in which something is selected: how much, the way to all of it, and what can be done with it. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { Hidden } from './Announced.tsx';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';

const Line = styled('span')({
  display: 'inline-flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 8px',
  fontSize: 13,
  color: palette.text.secondary,
  fontVariantNumeric: 'tabular-nums',
});
const small = { height: 32, textTransform: 'none' } as const;

interface Props {
  /** Single rows that are selected. */
  count: number;
  isAll: boolean;
  /** Rows of the list, all pages. */
  total: number;
  isTotalAtLeast?: boolean;
  /** Undefined where no action of the list takes a filter. */
  onAll?: () => void;
  /** Reason why not all can be selected. */
  whyNotAll?: string | undefined;
  onClear: () => void;
  /** The actions, as buttons. */
  children?: ReactNode;
}

export function SelectionBar({ count, isAll, total, isTotalAtLeast, onAll, whyNotAll, onClear, children }: Props) {
  const all = `${exact(total)}${isTotalAtLeast ? '+' : ''}`;
  const text = isAll ? `All ${all} selected` : count > 0 ? `${exact(count)} selected` : '';
  return (
    <>
      <Hidden role="status">{text}</Hidden>
      {text !== '' && (
        <Line>
          <span aria-hidden>{text}</span>
          {onAll && !isAll && total > count && (
            <span title={whyNotAll}>
              <Button size="small" onClick={onAll} disabled={whyNotAll !== undefined} sx={small}>
                Select all {all}
              </Button>
            </span>
          )}
          {children}
          <Button size="small" onClick={onClear} sx={small}>
            Clear selection
          </Button>
        </Line>
      )}
    </>
  );
}

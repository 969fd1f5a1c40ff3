/** Button that adds to a list of rows. With a reason it is disabled. */
import Button, { type ButtonProps } from '@mui/material/Button';
import type { ElementType } from 'react';
import { AddRounded } from './icons/AddRounded.tsx';

interface Props extends Pick<ButtonProps, 'children' | 'href' | 'onClick' | 'startIcon'> {
  component?: ElementType;
  reason: string | undefined;
}

export function AddButton({ reason, startIcon = <AddRounded />, ...button }: Props) {
  return (
    <span title={reason}>
      <Button variant="contained" size="small" startIcon={startIcon} disabled={reason !== undefined} {...button} />
    </span>
  );
}

/** Dialog with a title, its content and, at the lower right, its actions. */
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { SxProps, Theme } from '@mui/material/styles';
import { type ReactNode, useId } from 'react';

export interface ModalProps {
  title: ReactNode;
  /** Undefined while the dialog must stay: during a call, or while a key is shown. */
  onClose: (() => void) | undefined;
  actions?: ReactNode;
  maxWidth?: 'xs' | 'sm' | 'md';
  /** Styles of the content. */
  sx?: SxProps<Theme>;
  children: ReactNode;
}

export function Modal({ title, onClose, actions, maxWidth = 'sm', sx, children }: ModalProps) {
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth={maxWidth} fullWidth>
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {title}
      </DialogTitle>
      <DialogContent {...(sx ? { sx } : {})}>{children}</DialogContent>
      {actions && <DialogActions sx={{ px: 3, pb: 2 }}>{actions}</DialogActions>}
    </Dialog>
  );
}

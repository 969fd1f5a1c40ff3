/** Asks before something destructive or outward happens (spec §2.2: No and Yes). Says what will happen and to what; No has the focus. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId } from 'react';

interface Props {
  isOpen: boolean;
  title: string;
  children: ReactNode;
  onNo: () => void;
  onYes: () => void;
  /** While it is being done: Yes cannot be pressed twice. */
  isBusy?: boolean;
  /** Something must be chosen in the dialog before Yes. */
  isYesOff?: boolean;
}

export function ConfirmDialog({ isOpen, title, children, onNo, onYes, isBusy = false, isYesOff = false }: Props) {
  const id = useId();
  return (
    <Dialog open={isOpen} onClose={onNo} aria-labelledby={`${id}title`} aria-describedby={`${id}text`} maxWidth="xs" fullWidth>
      <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {title}
      </DialogTitle>
      <DialogContent>
        <DialogContentText id={`${id}text`} component="div" sx={{ fontSize: 14 }}>
          {children}
        </DialogContentText>
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button autoFocus onClick={onNo}>
          No
        </Button>
        <Button variant="contained" onClick={onYes} loading={isBusy} disabled={isYesOff}>
          Yes
        </Button>
      </DialogActions>
    </Dialog>
  );
}

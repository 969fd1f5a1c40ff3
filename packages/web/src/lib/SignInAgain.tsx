/** Some changes need a sign-in that is minutes old (decision 9). Offers it, and the way back here. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { Problem } from '@parapet/contract/problem.ts';
import { signInAgainText } from '@parapet/contract/users.ts';
import { session } from './session.ts';

export const needsSignIn = (error: unknown) =>
  error instanceof Problem && error.code === 'forbidden' && error.message === signInAgainText;

export function SignInAgain({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog open={isOpen} onClose={onClose} aria-labelledby="sign-in-again" maxWidth="xs" fullWidth>
      <DialogTitle id="sign-in-again" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {signInAgainText}
      </DialogTitle>
      <DialogContent>
        This change is for the account’s owner and for those who manage it. Your last sign-in is more than ten minutes ago: prove
        once more who you are, and you come back to this page.
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose}>Cancel</Button>
        {/* The guard remembers this page for the sign-in. */}
        <Button autoFocus variant="contained" onClick={() => void session.signInAgain()}>
          Sign in again
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** A one-time link by which another user sets a password, for an administrator to pass on. It is here once and nowhere else. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useId, useState } from 'react';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { failureText } from '../useUserActions.ts';

interface Props {
  user: UserDetail;
  timeZone: string;
  onClose: () => void;
}

export function PasswordLink({ user, timeZone, onClose }: Props) {
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<{ url: string; expiresAt: string }>();
  const make = async () => {
    setBusy(true);
    try {
      setMade(await call(usersApi.makeLink, { params: { id: user.id } }));
    } catch (error) {
      onClose();
      toast.error(failureText(error), 'user');
    }
    setBusy(false);
  };
  return (
    // Once the link is shown, only its button closes: a slip of the hand would lose it.
    <Dialog open onClose={made ? undefined : onClose} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {made ? 'Password link' : 'Create password link?'}
      </DialogTitle>
      {made ? (
        <>
          <DialogContent>
            <Note tone="warning">
              Copy the link now: it is shown only once. Whoever opens it can set the password of this account.
            </Note>
            <p>
              <Mono text={made.url} copyLabel="Copy the link" />
            </p>
            <p style={{ marginBottom: 0 }}>
              Works once, until <AbsoluteTime at={made.expiresAt} timeZone={timeZone} />.
            </p>
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button variant="contained" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </>
      ) : (
        <>
          <DialogContent>
            <VisibleText text={user.displayName} /> can set a password with the link. It works once,{' '}
            {user.isInvited ? 'for 7 days' : 'for 30 minutes, and the user is told by mail'}. Earlier links stop working.
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button autoFocus onClick={onClose}>
              Cancel
            </Button>
            <Button variant="contained" onClick={() => void make()} loading={isBusy}>
              Create link
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

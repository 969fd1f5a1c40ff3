/** Creates a one-time password link for another user and shows it once. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { UserDetail } from '@parapet/contract/users.ts';
import { useId } from 'react';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useMakePasswordLink } from '../users.queries.ts';

export function PasswordLink({ user, timeZone, onClose }: { user: UserDetail; timeZone: string; onClose: () => void }) {
  const id = useId();
  const create = useMakePasswordLink();
  const link = create.data;
  return (
    // Once the link is shown, only the button closes the dialog, so that it isn’t lost by accident.
    <Dialog open onClose={link ? undefined : onClose} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {link ? 'Password link' : 'Create password link?'}
      </DialogTitle>
      {link ? (
        <>
          <DialogContent>
            <Note tone="warning">
              Copy the link now. It won’t be shown again. Anyone who opens it can set this account’s password.
            </Note>
            <p>
              <Mono text={link.url} copyLabel="Copy link" />
            </p>
            <p style={{ marginBottom: 0 }}>
              Works once, until <AbsoluteTime at={link.expiresAt} timeZone={timeZone} />.
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
            {user.isInvited ? 'for 7 days' : 'for 30 minutes, and the user is notified by email'}. Earlier links stop working.
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button autoFocus onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="contained"
              onClick={() => create.mutate({ params: { id: user.id } }, { onError: onClose })}
              loading={create.isPending}
            >
              Create link
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

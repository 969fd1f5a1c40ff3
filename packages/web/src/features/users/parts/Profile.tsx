/** Profile of an existing user: details and, by permission, account actions. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { UserDetail } from '@parapet/contract/users.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { deleteRefusal } from '../userForm.ts';
import { useDeleteUser, useInviteUser, useReactivateUser, useResetMfa } from '../users.queries.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { PasswordLink } from './PasswordLink.tsx';
import { PictureArea } from './PictureArea.tsx';
import { ProfileForm } from './ProfileForm.tsx';

const Columns = styled('div')({
  display: 'grid',
  gap: 16,
  alignItems: 'start',
  '& > div': { display: 'grid', gap: 16, minWidth: 0 },
  '@media (min-width: 1280px)': { gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)' },
});
const Inside = styled('div')({ display: 'grid', gap: 20 });
const Danger = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '8px 16px',
  '& > div': { flex: '1 1 220px', minWidth: 0 },
  '& h3': { margin: 0, fontSize: 14, lineHeight: '20px', fontWeight: 600 },
  '& p': { margin: 0, fontSize: 13, color: palette.text.secondary },
});

type Action = 'resetMfa' | 'remove' | 'reactivate';

export function Profile({ user }: { user: UserDetail }) {
  const { user: me } = useScope();
  const [confirming, setConfirming] = useState<Action>();
  const isSelf = user.id === me.id;

  return (
    <>
      <PageHeader
        title={<VisibleText text={user.displayName} />}
        purpose={<VisibleText text={[user.roleName, user.clientOrganizationName].filter(Boolean).join(' · ')} />}
      />
      <Columns>
        <div>
          <Account user={user} onReactivate={() => setConfirming('reactivate')} />
        </div>
        <div>
          <Card title="Change Password">
            <ChangePassword user={user} isSelf={isSelf} />
          </Card>
          {user.can.makeLink && <PasswordLinkCard user={user} />}
          {(user.can.seeResetMfa || user.can.seeDelete) && (
            <Card title="Danger zone" isDanger>
              <Inside>
                {user.can.seeResetMfa && <ResetMfa user={user} onReset={() => setConfirming('resetMfa')} />}
                {user.can.seeDelete && <Delete refusal={deleteRefusal(user, isSelf)} onDelete={() => setConfirming('remove')} />}
              </Inside>
            </Card>
          )}
        </div>
      </Columns>
      <Confirmations user={user} isSelf={isSelf} confirming={confirming} onClose={() => setConfirming(undefined)} />
    </>
  );
}

function Account({ user, onReactivate }: { user: UserDetail; onReactivate: () => void }) {
  const { timeZone, may } = useScope();
  const invite = useInviteUser();
  const canInvite = user.isInvited && !user.isDeleted && may('users:create');
  return (
    <Card title={user.isDeleted ? 'Deleted User Account Profile:' : 'User Account Profile'}>
      <Inside>
        {user.isDeleted && (
          <Note
            tone="warning"
            actions={
              user.can.reactivate && (
                <Button size="small" variant="outlined" onClick={onReactivate}>
                  Reactivate
                </Button>
              )
            }
          >
            This account is deleted and can’t be used to sign in.
            {user.can.reactivate ? '' : ' An administrator can reactivate it.'}
          </Note>
        )}
        {user.isInvited && !user.isDeleted && <Note>Invited: no password set yet.</Note>}
        <PictureArea user={user} />
        <DefinitionList
          facts={[
            { name: 'Organisation', value: <VisibleText text={user.clientOrganizationName} /> },
            {
              name: 'Last sign-in',
              value: user.lastSignInAt ? <AbsoluteTime at={user.lastSignInAt} timeZone={timeZone} /> : 'Never',
            },
            { name: 'Created', value: <AbsoluteTime at={user.createdAt} timeZone={timeZone} /> },
            { name: 'MFA', value: user.mfaIsSet ? 'Set up' : 'Not set up' },
          ]}
        />
        <ProfileForm user={user} onInvite={canInvite ? () => invite.mutate(user) : undefined} isInviting={invite.isPending} />
      </Inside>
    </Card>
  );
}

function PasswordLinkCard({ user }: { user: UserDetail }) {
  const { timeZone } = useScope();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Password link" purpose="One-time link to set a password, for users who can’t receive email.">
      <Button variant="outlined" onClick={() => setOpen(true)}>
        Create password link
      </Button>
      {isOpen && <PasswordLink user={user} timeZone={timeZone} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function ResetMfa({ user, onReset }: { user: UserDetail; onReset: () => void }) {
  return (
    <Danger>
      <div>
        <h3>Reset MFA</h3>
        <p>Removes the current MFA setup. The user sets it up again at the next sign-in.</p>
        <p id="reset-mfa-reason">
          {user.mfaIsSet ? (user.can.resetMfa ? '' : 'Deleted users can’t sign in.') : 'MFA is not set up.'}
        </p>
      </div>
      <Button
        variant="outlined"
        color="error"
        disabled={!user.can.resetMfa || !user.mfaIsSet}
        aria-describedby="reset-mfa-reason"
        onClick={onReset}
      >
        Reset MFA
      </Button>
    </Danger>
  );
}

function Delete({ refusal, onDelete }: { refusal: string | undefined; onDelete: () => void }) {
  return (
    <Danger>
      <div>
        <h3>Delete User</h3>
        <p>The account is kept as deleted and can be reactivated.</p>
        <p id="delete-user-reason">{refusal}</p>
      </div>
      <Button
        variant="outlined"
        color="error"
        disabled={refusal !== undefined}
        aria-describedby="delete-user-reason"
        onClick={onDelete}
      >
        Delete user
      </Button>
    </Danger>
  );
}

interface ConfirmationsProps {
  user: UserDetail;
  isSelf: boolean;
  confirming: Action | undefined;
  onClose: () => void;
}

function Confirmations({ user, isSelf, confirming, onClose }: ConfirmationsProps) {
  const [remove, reactivate, resetMfa] = [useDeleteUser(), useReactivateUser(), useResetMfa()];
  const settled = { onSettled: onClose };
  return (
    <>
      <ConfirmDialog
        title="Deletion Confirmation"
        isOpen={confirming === 'remove'}
        isBusy={remove.isPending}
        onNo={onClose}
        onYes={() => remove.mutate(user, settled)}
      >
        Please confirm that you would like to delete {user.emailAddress} from the user list?
      </ConfirmDialog>
      <ConfirmDialog
        title="Reset MFA?"
        isOpen={confirming === 'resetMfa'}
        isBusy={resetMfa.isPending}
        onNo={onClose}
        onYes={() => resetMfa.mutate({ params: { id: user.id } }, settled)}
      >
        {isSelf ? 'You set' : `${user.displayName} sets`} up an authenticator app again at the next sign-in. The current setup
        stops working.
      </ConfirmDialog>
      <ConfirmDialog
        title="Reactivate the user?"
        isOpen={confirming === 'reactivate'}
        isBusy={reactivate.isPending}
        onNo={onClose}
        onYes={() => reactivate.mutate(user, settled)}
      >
        {user.emailAddress} is reactivated without a password. An invitation to set one is sent to this address.
      </ConfirmDialog>
    </>
  );
}

/** An existing user: what is known, and in sections what can be done with the account. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { UserDetail } from '@parapet/contract/users.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { deleteRefusal } from '../userForm.ts';
import { useUserActions } from '../useUserActions.ts';
import { ChangePassword } from './ChangePassword.tsx';
import { PasswordLink } from './PasswordLink.tsx';
import { PictureArea } from './PictureArea.tsx';
import { ProfileForm } from './ProfileForm.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });
const Inside = styled('div')({ display: 'grid', gap: 20 });
const Row = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 16px' });

type Asked = 'resetMfa' | 'remove' | 'reactivate';

export function Profile({ user }: { user: UserDetail }) {
  const { user: me, timeZone, may } = useScope();
  const actions = useUserActions(user);
  const [asked, setAsked] = useState<Asked>();
  const [isMakingLink, setMakingLink] = useState(false);
  const isSelf = user.id === me.id;
  const deleting = deleteRefusal(user, isSelf);
  const yes = async () => {
    if (asked) await actions[asked]();
    setAsked(undefined);
  };
  const dialog = (action: Asked) => ({
    isOpen: asked === action,
    isBusy: actions.busy === action,
    onNo: () => setAsked(undefined),
    onYes: () => void yes(),
  });

  return (
    <>
      <PageHeader
        title={<VisibleText text={user.displayName} />}
        purpose={<VisibleText text={[user.roleName, user.clientOrganizationName].filter(Boolean).join(' · ')} />}
      />
      <Column>
        <Card title={user.isDeleted ? 'Deleted User Account Profile:' : 'User Account Profile'}>
          <Inside>
            {user.isDeleted && (
              <Note
                tone="warning"
                actions={
                  user.can.reactivate && (
                    <Button size="small" variant="outlined" onClick={() => setAsked('reactivate')}>
                      Reactivate
                    </Button>
                  )
                }
              >
                This account was deleted: nobody can sign in with it.
                {user.can.reactivate ? '' : ' An administrator can bring it back.'}
              </Note>
            )}
            {user.isInvited && !user.isDeleted && <Note>Invited: the account waits for its first password.</Note>}
            <PictureArea
              user={user}
              onRemove={() => void actions.removePicture()}
              isRemoving={actions.busy === 'removePicture'}
            />
            <DefinitionList
              facts={[
                { name: 'Organisation', value: <VisibleText text={user.clientOrganizationName} /> },
                {
                  name: 'Last sign-in',
                  value: user.lastSignInAt ? <AbsoluteTime at={user.lastSignInAt} timeZone={timeZone} /> : 'Never',
                },
                { name: 'Made', value: <AbsoluteTime at={user.createdAt} timeZone={timeZone} /> },
                { name: 'Second factor', value: user.mfaIsSet ? 'Set up' : 'Not set up' },
              ]}
            />
            <ProfileForm
              user={user}
              onInvite={user.isInvited && !user.isDeleted && may('users:create') ? () => void actions.invite() : undefined}
              isInviting={actions.busy === 'invite'}
            />
          </Inside>
        </Card>

        <Card title="Change Password">
          <ChangePassword user={user} isSelf={isSelf} />
        </Card>

        {user.can.makeLink && (
          <Card
            title="Password link"
            purpose="A one-time link to set a password with, for you to pass on where mail does not arrive."
          >
            <Button variant="outlined" onClick={() => setMakingLink(true)}>
              Create password link
            </Button>
          </Card>
        )}

        {user.can.seeResetMfa && (
          <Card title="Reset MFA" purpose="Forgets the second factor; it is set up anew at the next sign-in.">
            <Row>
              <Button
                variant="outlined"
                disabled={!user.can.resetMfa || !user.mfaIsSet}
                aria-describedby="reset-mfa-reason"
                onClick={() => setAsked('resetMfa')}
              >
                Reset MFA
              </Button>
              <span id="reset-mfa-reason">
                {user.mfaIsSet ? (user.can.resetMfa ? '' : 'A deleted user signs in no more.') : 'No second factor is set up.'}
              </span>
            </Row>
          </Card>
        )}

        {user.can.seeDelete && (
          <Card title="Delete User" purpose="The account stays as deleted and can be brought back.">
            <Row>
              <Button
                variant="outlined"
                color="error"
                disabled={deleting !== undefined}
                aria-describedby="delete-user-reason"
                onClick={() => setAsked('remove')}
              >
                Delete user
              </Button>
              <span id="delete-user-reason">{deleting}</span>
            </Row>
          </Card>
        )}
      </Column>

      <ConfirmDialog title="Deletion Confirmation" {...dialog('remove')}>
        Please confirm that you would like to delete {user.emailAddress} from the user list?
      </ConfirmDialog>
      <ConfirmDialog title="Reset the second factor?" {...dialog('resetMfa')}>
        {isSelf ? 'You set' : `${user.displayName} sets`} up an authenticator app anew at the next sign-in. What is set up now
        stops working.
      </ConfirmDialog>
      <ConfirmDialog title="Reactivate the user?" {...dialog('reactivate')}>
        {user.emailAddress} comes back without a password: an invitation to choose one is sent to this address.
      </ConfirmDialog>
      {isMakingLink && <PasswordLink user={user} timeZone={timeZone} onClose={() => setMakingLink(false)} />}
    </>
  );
}

/** Names, email, role and phone number of an existing user. */
import Button from '@mui/material/Button';
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { call } from '../../../lib/call.ts';
import { showFormError } from '../../../lib/problems.ts';
import { toast } from '../../../lib/toast.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { bodyOf, roleChoices, roleFault, type UserValues, valuesOf } from '../userForm.ts';
import { useUsersChanged } from '../users.queries.ts';
import { showOwn } from '../useUserActions.ts';
import { UserFields } from './UserFields.tsx';

interface Props {
  user: UserDetail;
  /** Sends the invitation again, to who waits for one. */
  onInvite: (() => void) | undefined;
  isInviting: boolean;
}

export function ProfileForm({ user, onInvite, isInviting }: Props) {
  const changed = useUsersChanged();
  const form = useForm<UserValues>({
    defaultValues: valuesOf(user),
    resolver: resolverOf<UserValues, unknown>(
      { safeParse: (values) => usersApi.update.body.safeParse(bodyOf(user, values as UserValues)) },
      ({ currentUserRoleID }) => ({ currentUserRoleID: roleFault(currentUserRoleID, user.currentUserRoleID) }),
    ),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  // What was loaded anew replaces what was shown, never what is being typed.
  useEffect(() => {
    form.reset(valuesOf(user), { keepDirtyValues: true });
  }, [user, form]);

  const save = async (values: UserValues) => {
    try {
      const saved = await call(usersApi.update, { params: { id: user.id }, body: bodyOf(user, values) });
      form.reset(valuesOf(saved));
      showOwn(saved.id, { displayName: saved.displayName, emailAddress: saved.emailAddress });
      toast.success('User saved successfully', 'user');
      await changed();
    } catch (error) {
      showFormError(form, error, 'user');
    }
  };

  const refusal = user.isDeleted
    ? 'A deleted user cannot be changed. Reactivate the account first.'
    : user.can.edit || user.can.editPhoneNumber
      ? undefined
      : 'Your role can see this account, not change it.';
  return (
    <>
      <Form
        form={form}
        label="User Account Profile"
        onSave={save}
        refusal={refusal}
        actions={
          onInvite && (
            <Button onClick={onInvite} loading={isInviting}>
              Send the invitation again
            </Button>
          )
        }
      >
        {!refusal && !user.can.edit && <Note>You can change the phone number. For the rest, ask an administrator.</Note>}
        <UserFields
          roleField="currentUserRoleID"
          roles={roleChoices(user.userRoles, { id: user.currentUserRoleID, name: user.roleName })}
          roleHint={user.currentUserRoleID === 0 ? `Now: ${user.roleName || 'no role'}` : undefined}
          isReadOnly={!user.can.edit}
          isPhoneReadOnly={!user.can.editPhoneNumber}
        />
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

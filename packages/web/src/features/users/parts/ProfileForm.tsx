/** Form for name, email, role and phone number of an existing user. */
import Button from '@mui/material/Button';
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { bodyOf, roleChoices, roleFault, type UserValues, valuesOf } from '../userForm.ts';
import { useUpdateUser } from '../users.queries.ts';
import { UserFields } from './UserFields.tsx';

interface Props {
  user: UserDetail;
  /** Resends the invitation of a user without a password. */
  onInvite: (() => void) | undefined;
  isInviting: boolean;
}

export function ProfileForm({ user, onInvite, isInviting }: Props) {
  const update = useUpdateUser();
  const form = useForm<UserValues>({
    defaultValues: valuesOf(user),
    resolver: resolverOf<UserValues, unknown>(
      { safeParse: (values) => usersApi.update.body.safeParse(bodyOf(user, values as UserValues)) },
      ({ currentUserRoleID }) => ({ currentUserRoleID: roleFault(currentUserRoleID, user.currentUserRoleID) }),
    ),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  // Refetched details replace unedited values only.
  useEffect(() => {
    form.reset(valuesOf(user), { keepDirtyValues: true });
  }, [user, form]);

  const save = savingForm(
    form,
    async (values: UserValues) => {
      form.reset(valuesOf(await update.mutateAsync({ params: { id: user.id }, body: bodyOf(user, values) })));
    },
    'user',
  );

  const refusal = user.isDeleted
    ? 'Deleted users can’t be changed. Reactivate the account first.'
    : user.can.edit || user.can.editPhoneNumber
      ? undefined
      : 'Your role can view this account but not change it.';
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
              Resend invitation
            </Button>
          )
        }
      >
        {!refusal && !user.can.edit && <Note>You can change the phone number only. Ask an administrator for other changes.</Note>}
        <UserFields
          roleField="currentUserRoleID"
          roles={roleChoices(user.userRoles, { id: user.currentUserRoleID, name: user.roleName })}
          roleHint={user.currentUserRoleID === 0 ? `Current role: ${user.roleName || 'none'}` : undefined}
          isReadOnly={!user.can.edit}
          isPhoneReadOnly={!user.can.editPhoneNumber}
        />
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

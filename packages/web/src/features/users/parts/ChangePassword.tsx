/** Form that sets a new password. */
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useChangePassword } from '../users.queries.ts';
import { NewPassword } from './NewPassword.tsx';

interface Values {
  newPassword: string;
  confirmNewPassword: string;
  clientOrganizationID: number;
}

const resolver = resolverOf<Values, unknown>(usersApi.changePassword.body);

export function ChangePassword({ user, isSelf }: { user: UserDetail; isSelf: boolean }) {
  const empty = { newPassword: '', confirmNewPassword: '', clientOrganizationID: user.clientOrganizationID };
  const form = useForm<Values>({ defaultValues: empty, resolver });
  const change = useChangePassword();

  const save = savingForm(
    form,
    async (values: Values) => {
      await change.mutateAsync({ params: { id: user.id }, body: values });
      form.reset(empty);
    },
    'user',
  );

  const refusal = user.can.changePassword
    ? undefined
    : user.isDeleted
      ? 'Deleted users have no password.'
      : 'Only the user, a partner’s administrator or a Host can change this password.';
  return (
    <Form form={form} label="Change Password" onSave={save} refusal={refusal} saveText="Change password">
      <NewPassword
        name="newPassword"
        label="New password"
        confirmName="confirmNewPassword"
        confirmLabel="Confirm new password"
        confirmHint={isSelf ? 'Ends your other sessions and your API keys.' : 'Ends the user’s sessions.'}
      />
    </Form>
  );
}

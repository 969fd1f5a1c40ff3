/** Sets a new password. The form is empty before and after. */
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { call } from '../../../lib/call.ts';
import { showFormError } from '../../../lib/problems.ts';
import { toast } from '../../../lib/toast.ts';
import { passwordHint } from '../userForm.ts';

interface Values {
  newPassword: string;
  confirmNewPassword: string;
  clientOrganizationID: number;
}

const resolver = resolverOf<Values, unknown>(usersApi.changePassword.body);

interface Props {
  user: UserDetail;
  isSelf: boolean;
}

export function ChangePassword({ user, isSelf }: Props) {
  const empty = { newPassword: '', confirmNewPassword: '', clientOrganizationID: user.clientOrganizationID };
  const form = useForm<Values>({ defaultValues: empty, resolver });

  const save = async (values: Values) => {
    try {
      await call(usersApi.changePassword, { params: { id: user.id }, body: values });
      form.reset(empty);
      toast.success('Password changed successfully', 'user');
    } catch (error) {
      showFormError(form, error, 'user');
    }
  };

  const refusal = user.can.changePassword
    ? undefined
    : user.isDeleted
      ? 'A deleted user has no password to change.'
      : 'Only the user, a partner’s administrator or a host can change this password.';
  return (
    <Form form={form} label="Change Password" onSave={save} refusal={refusal} saveText="Change password">
      <Fields>
        <TextInput
          name="newPassword"
          label="New password"
          type="password"
          autoComplete="new-password"
          isRequired
          hint={passwordHint}
          maxLength={64}
        />
        <TextInput
          name="confirmNewPassword"
          label="Confirm new password"
          type="password"
          autoComplete="new-password"
          isRequired
          hint={isSelf ? 'Your other sessions and your API keys end with it.' : 'The user’s sessions end with it.'}
          maxLength={64}
        />
      </Fields>
    </Form>
  );
}

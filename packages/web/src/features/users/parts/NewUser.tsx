/** Form for a new user, with a first password or an invitation by email. */
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { deactivatedAccountText, usersApi } from '@parapet/contract/users.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { PageHeader } from '../../../kit/PageHeader.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useTitle } from '../../../lib/title.ts';
import { toast } from '../../../lib/toast.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { type NewUserValues, newUserBody, newUserValues, roleChoices, roleFault } from '../userForm.ts';
import { clientRolesQuery, useCreateUser } from '../users.queries.ts';
import { NewPassword } from './NewPassword.tsx';
import { UserFields } from './UserFields.tsx';

const resolver = resolverOf<NewUserValues, unknown>(
  { safeParse: (values) => usersApi.create.body.safeParse(newUserBody(values as NewUserValues)) },
  ({ UserRoleID }) => ({ UserRoleID: roleFault(UserRoleID) }),
);

export function NewUser({ client, clientName }: { client: number; clientName: string }) {
  useTitle('New user');
  const { may, hasSelector } = useScope();
  const go = useGo();
  const create = useCreateUser();
  const roles = useQuery({ ...clientRolesQuery(client), enabled: may('users:listRoles') });
  const form = useForm<NewUserValues>({ defaultValues: newUserValues(client), resolver });
  const guard = useLeaveGuard(form.formState.isDirty);
  const [deactivated, setDeactivated] = useState<number>();
  const isInvitation = form.watch('sendInvitation') === true;
  const query = hasSelector ? { client } : {};

  const save = savingForm(
    form,
    async (values: NewUserValues) => {
      setDeactivated(undefined);
      const created = await create.mutateAsync({ body: newUserBody(values) });
      if (created.clientOrganizationID === -1) {
        toast.warning(deactivatedAccountText, 'user');
        setDeactivated(created.deactivatedUserID ?? 0);
        return;
      }
      guard.free();
      go(paths.profile(created.id, query), { replace: true });
    },
    'user',
  );

  return (
    <>
      <PageHeader title="New user" purpose={`Account of ${clientName || 'your organisation'}`} />
      <Card title="User Account Profile">
        <Form
          form={form}
          label="New user"
          onSave={save}
          isNew
          saveText={isInvitation ? 'Send invitation' : 'Save'}
          refusal={may('users:create') ? undefined : 'Your role can’t create users. Ask an administrator of your organisation.'}
          actions={
            <Button component={AppLink} href={paths.users(query)}>
              Cancel
            </Button>
          }
        >
          {deactivated !== undefined && (
            <Note
              tone="warning"
              role="alert"
              actions={
                deactivated > 0 && (
                  <Button component={AppLink} href={paths.profile(deactivated, query)} size="small" onClick={guard.free}>
                    Open that account
                  </Button>
                )
              }
            >
              {deactivatedAccountText}
            </Note>
          )}
          {roles.error && <FailedLine what="roles" error={roles.error} onRetry={() => void roles.refetch()} />}
          <UserFields roleField="UserRoleID" roles={roleChoices(roles.data?.results ?? [])} />
          <RadioGroup
            aria-label="First sign-in"
            value={isInvitation ? 'invitation' : 'password'}
            onChange={(_, value) => {
              form.setValue('sendInvitation', value === 'invitation', { shouldDirty: true });
              form.clearErrors(['password', 'confirmPassword']);
            }}
          >
            <FormControlLabel value="password" control={<Radio size="small" />} label="Set a password" />
            <FormControlLabel value="invitation" control={<Radio size="small" />} label="Send an invitation by email" />
          </RadioGroup>
          {isInvitation ? (
            <Note>The user gets a one-time link by email to choose a password.</Note>
          ) : (
            <NewPassword name="password" label="Password" confirmName="confirmPassword" confirmLabel="Confirm password" />
          )}
        </Form>
      </Card>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

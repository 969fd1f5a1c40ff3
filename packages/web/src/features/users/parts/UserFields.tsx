/** Fields of both new and existing users. */
import { type Choice, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';

interface Props {
  roleField: 'UserRoleID' | 'currentUserRoleID';
  roles: readonly Choice[];
  roleHint?: string | undefined;
  /** Name, email and role are read-only. */
  isReadOnly?: boolean;
  isPhoneReadOnly?: boolean;
}

export function UserFields({ roleField, roles, roleHint, isReadOnly = false, isPhoneReadOnly = false }: Props) {
  return (
    <Fields>
      <TextInput name="firstName" label="First name" isRequired isReadOnly={isReadOnly} maxLength={200} />
      <TextInput name="lastName" label="Last name" isRequired isReadOnly={isReadOnly} maxLength={200} />
      <TextInput name="emailAddress" label="Email" type="email" isRequired isReadOnly={isReadOnly} maxLength={254} />
      <SelectInput name={roleField} label="Role" isRequired isReadOnly={isReadOnly} choices={roles} hint={roleHint} />
      <TextInput name="phoneNumber" label="Phone number" type="tel" isReadOnly={isPhoneReadOnly} maxLength={40} />
    </Fields>
  );
}

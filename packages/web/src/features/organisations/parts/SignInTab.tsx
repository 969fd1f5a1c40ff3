/** How people of this organisation sign in: second factor, single sign-on. */

import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useFormContext } from 'react-hook-form';
import { CheckInput, Fields, ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { PartForm, refusalOf } from './PartForm.tsx';

export function SignInTab({ details }: { details: ClientDetails }) {
  const refusal = refusalOf(details) ?? (details.can.editPolicy ? undefined : 'Your role can read this policy, not change it.');
  return (
    <PartForm
      details={details}
      endpoint={organisationsApi.updateSignInPolicy}
      label="Sign-in policy"
      refusal={refusal}
      valuesOf={({ signInPolicy }) =>
        signInPolicy ?? { isMfaCompulsory: true, allowsFirstMatchByEmail: false, singleSignOn: null }
      }
    >
      <CheckInput
        name="isMfaCompulsory"
        label="Everybody needs a second factor"
        hint="Who has none sets it up at the next sign-in."
      />
      <CheckInput
        name="allowsFirstMatchByEmail"
        label="A first single sign-on may find its account by email address"
        hint="Only by an address that the identity provider has verified. Later sign-ins go by the provider’s own id."
      />
      {details.isPartner ? (
        <SingleSignOn hasSecret={details.signInPolicy?.singleSignOn !== null} />
      ) : (
        <Note>Single sign-on is that of {details.partnerName}, for all of its clients.</Note>
      )}
    </PartForm>
  );
}

function SingleSignOn({ hasSecret }: { hasSecret: boolean }) {
  const form = useFormContext();
  const isReadOnly = useContext(ReadOnlyContext);
  const isOn = Boolean(form.watch('singleSignOn'));
  return (
    <>
      <FormControlLabel
        label="Single sign-on with an own identity provider (OpenID Connect)"
        control={
          <Checkbox
            size="small"
            disabled={isReadOnly}
            checked={isOn}
            onChange={(_, now) =>
              form.setValue('singleSignOn', now ? { issuer: '', clientId: '', clientSecret: '' } : null, { shouldDirty: true })
            }
          />
        }
      />
      {isOn && (
        <Fields>
          <TextInput
            name="singleSignOn.issuer"
            label="Issuer"
            type="url"
            isRequired
            maxLength={500}
            hint="The provider’s whole address, starting with https://."
          />
          <TextInput name="singleSignOn.clientId" label="Client id" isRequired maxLength={200} />
          <TextInput
            name="singleSignOn.clientSecret"
            label="Client secret"
            type="password"
            autoComplete="new-password"
            maxLength={500}
            hint={
              hasSecret ? 'Empty keeps the stored one; it is never shown again.' : 'It is stored encrypted and never shown again.'
            }
          />
        </Fields>
      )}
    </>
  );
}

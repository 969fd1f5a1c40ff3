/** Sign-in policy of an organisation: MFA and single sign-on. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useFormContext } from 'react-hook-form';
import { CheckInput, Fields, PlainField, ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { PartForm, refusalOf } from './PartForm.tsx';

export function SignInTab({ details }: { details: ClientDetails }) {
  const refusal =
    refusalOf(details) ?? (details.can.editPolicy ? undefined : 'Your role can read this policy but not change it.');
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
        label="Require MFA for all users"
        hint="Users without MFA set it up at their next sign-in."
      />
      <CheckInput
        name="allowsFirstMatchByEmail"
        label="Match the first single sign-on to an account by email address"
        hint="Requires an address verified by the identity provider. Later sign-ins use the provider’s user ID."
      />
      {details.isPartner ? (
        <SingleSignOn hasSecret={details.signInPolicy?.singleSignOn !== null} />
      ) : (
        <Note>Single sign-on is managed by {details.partnerName} for all of its clients.</Note>
      )}
    </PartForm>
  );
}

const switchLabel = 'Single sign-on with your own identity provider (OpenID Connect)';

export function SingleSignOn({ hasSecret }: { hasSecret: boolean }) {
  const form = useFormContext();
  const isReadOnly = useContext(ReadOnlyContext);
  const isOn = Boolean(form.watch('singleSignOn'));
  return (
    <>
      {isReadOnly ? (
        <PlainField label={switchLabel} value={isOn ? 'Yes' : 'No'} />
      ) : (
        <FormControlLabel
          label={switchLabel}
          control={
            <Checkbox
              size="small"
              checked={isOn}
              onChange={(_, now) =>
                form.setValue('singleSignOn', now ? { issuer: '', clientId: '', clientSecret: '' } : null, { shouldDirty: true })
              }
            />
          }
        />
      )}
      {isOn && (
        <Fields>
          <TextInput
            name="singleSignOn.issuer"
            label="Issuer"
            type="url"
            isRequired
            maxLength={500}
            hint="Full URL of the provider, starting with https://."
          />
          <TextInput name="singleSignOn.clientId" label="Client ID" isRequired maxLength={200} />
          {isReadOnly ? (
            <PlainField label="Client secret" value={hasSecret ? 'Stored' : ''} />
          ) : (
            <TextInput
              name="singleSignOn.clientSecret"
              label="Client secret"
              type="password"
              autoComplete="new-password"
              maxLength={500}
              hint={
                hasSecret
                  ? 'Leave empty to keep the stored secret, which is never shown again.'
                  : 'Stored encrypted and never shown again.'
              }
            />
          )}
        </Fields>
      )}
    </>
  );
}

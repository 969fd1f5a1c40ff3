/** Registration: the request form where registration is enabled, else a note that accounts are by invitation. */
import Button from '@mui/material/Button';
import { type SyntheticEvent, useRef, useState } from 'react';
import { AppLink } from '../../lib/AppLink.tsx';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { call } from '../../lib/call.ts';
import { endpointDescriptors, limits, tooShort } from '../../lib/endpointDescriptors.ts';
import { paths } from '../../lib/paths.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthField } from './parts/AuthField.tsx';
import { AuthScreen } from './parts/AuthScreen.tsx';
import { Form, Plain } from './parts/login.styles.tsx';

export function RegisterPage() {
  useTitle('Register');
  const { registration } = useBrand();
  const [email, setEmail] = useState<string>();
  return (
    <AuthScreen text={registration ? 'Request an account.' : 'Accounts are by invitation.'}>
      {!registration ? (
        <ByInvitation />
      ) : email === undefined ? (
        <RegistrationForm onDone={setEmail} />
      ) : (
        <Confirmation email={email} />
      )}
    </AuthScreen>
  );
}

const ToLogin = () => (
  <p>
    <AppLink href={paths.login()}>Back to sign-in</AppLink>
  </p>
);

function ByInvitation() {
  const { name, contact: address } = useBrand();
  const contact = linkOf(address);
  return (
    <Plain aria-labelledby="register-title">
      <h1 id="register-title">Register</h1>
      <p>
        Accounts are by invitation. Ask your administrator to invite you.
        {contact && (
          <>
            {' '}
            If you don’t know your administrator, contact <a href={contact}>{name}</a>.
          </>
        )}
      </p>
      <ToLogin />
    </Plain>
  );
}

function Confirmation({ email }: { email: string }) {
  return (
    <Plain aria-labelledby="register-title">
      <h1 id="register-title" tabIndex={-1} ref={(heading) => heading?.focus()}>
        Thank you
      </h1>
      <p>An email to {email} describes the next steps. If it doesn’t arrive within a few minutes, check your spam folder.</p>
      <ToLogin />
    </Plain>
  );
}

const fields = [
  { name: 'firstName', label: 'First name', autoComplete: 'given-name', type: 'text' },
  { name: 'lastName', label: 'Last name', autoComplete: 'family-name', type: 'text' },
  { name: 'email', label: 'Email', autoComplete: 'email', type: 'email' },
  { name: 'company', label: 'Company', autoComplete: 'organization', type: 'text' },
] as const;
type Name = (typeof fields)[number]['name'];
type Texts = Partial<Record<Name | 'all', string>>;

function RegistrationForm({ onDone }: { onDone: (email: string) => void }) {
  const [values, setValues] = useState<Record<Name, string>>({ firstName: '', lastName: '', email: '', company: '' });
  const [errors, setErrors] = useState<Texts>({});
  const [isBusy, setBusy] = useState(false);
  const inputs = useRef<Partial<Record<Name, HTMLInputElement | null>>>({});

  const show = (found: Texts) => {
    setErrors(found);
    const first = fields.find(({ name }) => found[name] !== undefined);
    if (first) inputs.current[first.name]?.focus();
  };
  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const found: Texts = {};
    for (const { name } of fields) if (values[name].trim() === '') found[name] = 'This field is required.';
    if (!found.email && values.email.trim().length < limits.emailMinLength) found.email = tooShort(limits.emailMinLength);
    show(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    const body = { ...values, email: values.email.trim() };
    try {
      await call(endpointDescriptors.register, { body });
      onDone(body.email);
    } catch (error) {
      const texts = (error as { errors?: Record<string, string[]> }).errors ?? {};
      const known = fields.filter(({ name }) => texts[name]?.[0] !== undefined);
      show(
        known.length > 0
          ? Object.fromEntries(known.map(({ name }) => [name, texts[name]?.[0]]))
          : { all: error instanceof Error ? error.message : String(error) },
      );
      setBusy(false);
    }
  };

  return (
    <Form onSubmit={send} noValidate aria-labelledby="register-title">
      <h1 id="register-title">Register</h1>
      {fields.map(({ name, ...field }, at) => (
        <AuthField
          key={name}
          {...field}
          name={name}
          autoFocus={at === 0}
          value={values[name]}
          error={errors[name]}
          inputRef={(input) => {
            inputs.current[name] = input;
          }}
          onChange={(value) => {
            setValues({ ...values, [name]: value });
            setErrors({ ...errors, [name]: undefined });
          }}
        />
      ))}
      <div role="alert">{errors.all !== undefined && <p className="fault">{errors.all}</p>}</div>
      <Button type="submit" variant="contained" size="large" loading={isBusy} fullWidth>
        Register
      </Button>
      <ToLogin />
    </Form>
  );
}

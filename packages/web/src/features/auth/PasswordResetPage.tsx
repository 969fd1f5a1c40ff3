/** New password by the emailed link (spec §2.4, §4). Invalid and expired links redirect home with a warning. */
import Button from '@mui/material/Button';
import { useParams } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useGo } from '../../lib/address.ts';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { PasswordRules } from '../../lib/PasswordRules.tsx';
import { paths } from '../../lib/paths.ts';
import { faultOf } from '../../lib/problems.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { AuthField } from './parts/AuthField.tsx';
import { AuthScreen } from './parts/AuthScreen.tsx';
import { Form, Plain } from './parts/login.styles.tsx';
import { errorsOf, type FormErrors, isUnknownLink, isUsable } from './resetLink.ts';

type Link = { status: 'loading' } | { status: 'failed'; text: string } | { status: 'ready'; email: string };

export function PasswordResetPage() {
  useTitle('Password reset');
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const go = useGo();
  const [link, setLink] = useState<Link>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt repeats the same request
  useEffect(() => {
    const request = new AbortController();
    const refuse = () => {
      toast.warning('Password reset link is either invalid or has expired', 'user');
      go(paths.home(), { replace: true });
    };
    call(endpointDescriptors.resetForm, { params: { token } }, { signal: request.signal })
      .then((form) => (isUsable(form, token, Date.now()) ? setLink({ status: 'ready', email: form.email }) : refuse()))
      .catch((error) => {
        if (request.signal.aborted) return;
        if (isUnknownLink(error)) refuse();
        else setLink({ status: 'failed', text: error instanceof Error ? error.message : String(error) });
      });
    return () => request.abort();
  }, [token, go, attempt]);

  return (
    <AuthScreen text="Set a new password for your account.">
      {link.status === 'ready' ? (
        <SetPassword token={token} email={link.email} />
      ) : (
        <Plain aria-labelledby="reset-title">
          <h1 id="reset-title">Set a new password</h1>
          {link.status === 'loading' ? (
            <p role="status">Checking the link...</p>
          ) : (
            <>
              <p role="alert">Couldn’t check the link. {link.text}</p>
              <Button
                variant="contained"
                onClick={() => {
                  setLink({ status: 'loading' });
                  setAttempt(attempt + 1);
                }}
              >
                Retry
              </Button>
            </>
          )}
        </Plain>
      )}
    </AuthScreen>
  );
}

function SetPassword({ token, email }: { token: string; email: string }) {
  const go = useGo();
  const [newPassword, setNewPassword] = useState('');
  const [confirm, setConfirm] = useState('');
  const [errors, setErrors] = useState<FormErrors>({});
  const [isBusy, setBusy] = useState(false);
  const newField = useRef<HTMLInputElement>(null);
  const confirmField = useRef<HTMLInputElement>(null);

  const show = (found: FormErrors) => {
    setErrors(found);
    if (found.newPassword !== undefined) newField.current?.focus();
    else if (found.confirm !== undefined) confirmField.current?.focus();
  };
  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const found = errorsOf(newPassword, confirm);
    show(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await call(endpointDescriptors.resetPassword, { body: { formData: { email, token }, newPassword } });
      toast.success('Your password has been succesfully reset', 'user');
      go(paths.login(), { replace: true });
    } catch (error) {
      toast.error('Failed to reset your password', 'user');
      const { fields, text } = faultOf(error, (name) => name === 'newPassword');
      show({ newPassword: fields.newPassword ?? text ?? String(error) });
      setBusy(false);
    }
  };

  return (
    <Form onSubmit={send} noValidate aria-labelledby="reset-title">
      <h1 id="reset-title">Set a new password</h1>
      <p>For {email}. All of its sessions will end, and you will need to sign in again.</p>
      {/* Associates the password with its account in password managers. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <AuthField
        name="newPassword"
        label="New password"
        type="password"
        autoComplete="new-password"
        autoFocus
        help="reset-rules"
        inputRef={newField}
        value={newPassword}
        error={errors.newPassword}
        onChange={(value) => {
          setNewPassword(value);
          setErrors({});
        }}
      />
      <PasswordRules id="reset-rules" password={newPassword} refusal={errors.newPassword} />
      <AuthField
        name="confirmPassword"
        label="Confirm password"
        type="password"
        autoComplete="new-password"
        inputRef={confirmField}
        value={confirm}
        error={errors.confirm}
        onChange={(value) => {
          setConfirm(value);
          setErrors({});
        }}
      />
      <Button
        type="submit"
        variant="contained"
        size="large"
        disabled={newPassword === '' || confirm === ''}
        loading={isBusy}
        fullWidth
      >
        Reset password
      </Button>
    </Form>
  );
}

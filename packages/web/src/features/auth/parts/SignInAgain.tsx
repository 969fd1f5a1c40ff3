/**
 * Step-up authentication in place, for changes that require a recent sign-in (docs/decisions/0022-step-up.md); keeps what was entered. Rendered outside the
 * QueryClientProvider and repeated inside `call` itself, so it calls its endpoints directly.
 */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Problem, type StepUpMethod } from '@parapet/contract/problem.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { palette } from '../../../kit/palette.ts';
import { useBrand } from '../../../lib/brand.ts';
import { call } from '../../../lib/call.ts';
import { endpointDescriptors, limits, texts } from '../../../lib/endpointDescriptors.ts';
import { canUsePasskeys, isDismissed, provePasskey } from '../../../lib/passkeys.ts';
import { session } from '../../../lib/session.ts';
import { onStepUpOutcome } from '../../../lib/signOn.ts';
import { type StepUpRequest, stepUp } from '../../../lib/stepUp.ts';
import { useUser } from '../../../lib/useSession.ts';
import { AuthField } from './AuthField.tsx';
import { MicrosoftMark } from './MicrosoftMark.tsx';

const Body = styled('div')({
  display: 'grid',
  gap: 16,
  fontSize: 14,
  '& p': { margin: 0 },
  '& .fault': { color: palette.error.main },
});

const fields = {
  password: { label: 'Password', type: 'password', autoComplete: 'current-password', other: 'Use your password' },
  code: { label: 'Authenticator code', type: 'code', autoComplete: 'one-time-code', other: 'Use an authenticator code' },
  recoveryCode: { label: 'Recovery code', type: 'code', autoComplete: 'off', other: 'Use a recovery code' },
} as const satisfies Record<StepUpMethod | 'recoveryCode', object>;
type Method = keyof typeof fields;

const missing: Record<Method, string> = {
  password: 'Enter your password.',
  code: 'Enter the 6-digit code from the app.',
  recoveryCode: 'Enter one of your recovery codes.',
};

const failedText = 'Couldn’t confirm your identity. Please try again.';
const textOf = (error: unknown) => (error instanceof Error && error.message ? error.message : failedText);

const otherMethodSx = { justifySelf: 'start', ml: -1.25, mt: -1 };

export function SignInAgain({ request }: { request: StepUpRequest }) {
  const id = useId();
  const user = useUser();
  const { singleSignOn } = useBrand();
  const [method, setMethod] = useState<Method | undefined>(request.methods[0]);
  const takesCode = request.methods.includes('code');
  const [factor, setFactor] = useState<AnswerOf<typeof secondFactorApi.get>>();
  useEffect(() => {
    // On failure, the code remains available.
    if (takesCode) call(secondFactorApi.get, {}).then(setFactor, () => {});
  }, [takesCode]);
  const hasPasskey = takesCode && canUsePasskeys() && factor?.passkeys.some(({ host }) => host === factor.host);
  const methods: Method[] = [...request.methods];
  if (takesCode && factor?.recoveryCodesLeft) methods.push('recoveryCode');
  const others = methods.filter((other) => other !== method);
  const canConfirm = method !== undefined || singleSignOn;
  const cancel = () => stepUp.settle(false);
  return (
    <Dialog open onClose={cancel} aria-labelledby={`${id}title`} aria-describedby={`${id}text`} maxWidth="xs" fullWidth>
      <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {texts.signInAgainText}
      </DialogTitle>
      <DialogContent sx={{ pb: 1 }}>
        <Body>
          <p id={`${id}text`}>
            This change requires a recent sign-in. Confirm that it’s you{user ? ` (${user.emailAddress})` : ''}. Your changes are
            kept.
          </p>
          {method && <Proof key={method} method={method} formId={`${id}form`} email={user?.emailAddress ?? ''} />}
          {hasPasskey && <ByPasskey />}
          {others.map((other) => (
            <Button key={other} size="small" sx={otherMethodSx} onClick={() => setMethod(other)}>
              {fields[other].other}
            </Button>
          ))}
          {singleSignOn && <BySingleSignOn />}
          {!canConfirm && <p>Your account has no password. Sign out, then sign in again.</p>}
        </Body>
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }} id={`${id}actions`}>
        <Button onClick={cancel}>Cancel</Button>
        {method && <ConfirmButton formId={`${id}form`} />}
        {!canConfirm && (
          <Button
            variant="contained"
            onClick={() => {
              cancel();
              void session.signInAgain();
            }}
          >
            Sign in again
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const ConfirmButton = ({ formId }: { formId: string }) => (
  <Button type="submit" form={formId} variant="contained">
    Confirm
  </Button>
);

/** Password, code or recovery code. Errors show at the field, which keeps the focus. */
function Proof({ method, formId, email }: { method: Method; formId: string; email: string }) {
  const [value, setValue] = useState('');
  const [errorText, setError] = useState<string>();
  const isBusy = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (errorText !== undefined) field.current?.select();
  }, [errorText]);

  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    // In React's tree, this dialog is inside the page’s own form.
    event.stopPropagation();
    if (isBusy.current) return;
    const isWhole = method === 'code' ? value.length === limits.mfaCodeLength : value.trim() !== '';
    if (!isWhole) return setError(missing[method]);
    isBusy.current = true;
    setError(undefined);
    try {
      await call(endpointDescriptors.stepUp, { body: { [method]: value } });
      stepUp.settle(true);
    } catch (error) {
      const text = error instanceof Problem ? error.errors?.[method]?.[0] : undefined;
      setError(text ?? textOf(error));
    }
    isBusy.current = false;
  };

  return (
    <form id={formId} onSubmit={(event) => void send(event)} noValidate>
      {/* Associates the password with its account in password managers. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <AuthField
        name={method}
        label={fields[method].label}
        type={fields[method].type}
        autoComplete={fields[method].autoComplete}
        {...(method === 'recoveryCode' && { inputMode: 'text' as const })}
        autoFocus
        inputRef={field}
        value={value}
        error={errorText}
        onChange={(next) => {
          setValue(method === 'code' ? next.replace(/\D/g, '').slice(0, limits.mfaCodeLength) : next);
          setError(undefined);
        }}
      />
    </form>
  );
}

/** Requests the challenge on click: each is valid once, for five minutes. */
function ByPasskey() {
  const [errorText, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const prove = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { request } = await call(secondFactorApi.requestPasskey, {});
      if (!request) throw new Error('Your account has no passkey for this address.');
      await call(endpointDescriptors.stepUp, { body: { passkey: await provePasskey(request) } });
      return stepUp.settle(true);
    } catch (error) {
      const ofPasskey = error instanceof Problem ? error.errors?.passkey?.[0] : undefined;
      setError(
        isDismissed(error) ? 'The passkey was not used. Try again, or choose another method.' : (ofPasskey ?? textOf(error)),
      );
    }
    setBusy(false);
  };
  return (
    <div>
      <Button size="small" sx={otherMethodSx} loading={isBusy} onClick={() => void prove()}>
        Use a passkey
      </Button>
      <div aria-live="polite">{errorText !== undefined && <p className="fault">{errorText}</p>}</div>
    </div>
  );
}

const outcomes: Partial<Record<string, string>> = {
  unknown:
    'The identity provider signed in another account or didn’t report the time of sign-in. Use the account you are signed in with.',
  refused: 'The sign-in was cancelled in the other window.',
  expired: 'The sign-in took too long. Please try again.',
};

/** Opens a separate window, so that this page keeps its state. */
function BySingleSignOn() {
  const [errorText, setError] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  useEffect(
    () =>
      onStepUpOutcome((outcome) => {
        if (outcome === 'done') return stepUp.settle(true);
        setWaiting(false);
        setError(outcomes[outcome] ?? failedText);
      }),
    [],
  );

  const open = async () => {
    setError(undefined);
    // Opened during the click: browsers block windows that open later.
    const other = window.open('', 'step-up', 'popup,width=520,height=680');
    if (!other) return setError('Your browser blocked the window. Allow pop-ups for this page and try again.');
    setWaiting(true);
    try {
      const { url } = await call(endpointDescriptors.stepUpSingleSignOn, {});
      other.location.replace(url);
    } catch (error) {
      other.close();
      setWaiting(false);
      setError(textOf(error));
    }
  };

  return (
    <>
      <Button variant="outlined" color="inherit" startIcon={<MicrosoftMark />} onClick={() => void open()}>
        Confirm with Microsoft
      </Button>
      <div aria-live="polite">
        {errorText !== undefined && <p className="fault">{errorText}</p>}
        {isWaiting && <p>Continue in the new window.</p>}
      </div>
    </>
  );
}

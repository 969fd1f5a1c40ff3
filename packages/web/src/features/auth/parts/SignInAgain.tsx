/** Confirms in place that it is still the same person, for a change that needs a recent sign-in (decision 9). What was entered stays. */
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

const Body = styled('div')(({ theme }) => ({
  display: 'grid',
  gap: 16,
  fontSize: 14,
  '& p': { margin: 0 },
  '& .fault': { color: (theme.vars ?? theme).palette.error.main },
}));

const fields = {
  password: { label: 'Password', type: 'password', autoComplete: 'current-password', other: 'Use your password' },
  code: { label: 'Authenticator code', type: 'code', autoComplete: 'one-time-code', other: 'Use an authenticator code' },
  recoveryCode: { label: 'Recovery code', type: 'code', autoComplete: 'off', other: 'Use a recovery code' },
} as const satisfies Record<StepUpMethod | 'recoveryCode', object>;
type Method = keyof typeof fields;

const missing: Record<Method, string> = {
  password: 'Enter your password.',
  code: 'Enter the six digits that the app shows.',
  recoveryCode: 'Enter one of your recovery codes.',
};

const failedText = 'Your identity couldn’t be confirmed. Please try again.';
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
    // Where it fails, the code remains.
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
            This change needs a recent sign-in. Confirm that it’s you{user ? ` (${user.emailAddress})` : ''}; nothing you entered
            is lost.
          </p>
          {method && <Proof key={method} method={method} formId={`${id}form`} email={user?.emailAddress ?? ''} />}
          {hasPasskey && <ByPasskey />}
          {others.map((other) => (
            <Button key={other} size="small" sx={otherMethodSx} onClick={() => setMethod(other)}>
              {fields[other].other}
            </Button>
          ))}
          {singleSignOn && <BySingleSignOn />}
          {!canConfirm && <p>Your account has no password here. Sign out and in again.</p>}
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

/** A password, a code or a recovery code; a wrong one is told at the field, which keeps the focus. */
function Proof({ method, formId, email }: { method: Method; formId: string; email: string }) {
  const [value, setValue] = useState('');
  const [fault, setFault] = useState<string>();
  const isBusy = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (fault !== undefined) field.current?.select();
  }, [fault]);

  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The page’s own form is around this dialog for React.
    event.stopPropagation();
    if (isBusy.current) return;
    const isWhole = method === 'code' ? value.length === limits.mfaCodeLength : value.trim() !== '';
    if (!isWhole) return setFault(missing[method]);
    isBusy.current = true;
    setFault(undefined);
    try {
      await call(endpointDescriptors.stepUp, { body: { [method]: value } });
      stepUp.settle(true);
    } catch (error) {
      const told = error instanceof Problem ? error.errors?.[method]?.[0] : undefined;
      setFault(told ?? textOf(error));
    }
    isBusy.current = false;
  };

  return (
    <form id={formId} onSubmit={(event) => void send(event)} noValidate>
      {/* For password managers, which look for the account beside the password. */}
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
        error={fault}
        onChange={(next) => {
          setValue(method === 'code' ? next.replace(/\D/g, '').slice(0, limits.mfaCodeLength) : next);
          setFault(undefined);
        }}
      />
    </form>
  );
}

/** The challenge is made within the click: each is good once, for five minutes. */
function ByPasskey() {
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const prove = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const { request } = await call(secondFactorApi.requestPasskey, {});
      if (!request) throw new Error('Your account has no passkey for this address.');
      await call(endpointDescriptors.stepUp, { body: { passkey: await provePasskey(request) } });
      return stepUp.settle(true);
    } catch (error) {
      const ofPasskey = error instanceof Problem ? error.errors?.passkey?.[0] : undefined;
      setFault(
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
      <div aria-live="polite">{fault !== undefined && <p className="fault">{fault}</p>}</div>
    </div>
  );
}

const outcomes: Partial<Record<string, string>> = {
  unknown:
    'The identity provider signed in another account, or doesn’t say when it asked. Use the account you are signed in with.',
  refused: 'The sign-in was cancelled in the other window.',
  expired: 'The sign-in took too long. Please try again.',
};

/** In a window of its own, so that this page stays as it is. */
function BySingleSignOn() {
  const [fault, setFault] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  useEffect(
    () =>
      onStepUpOutcome((outcome) => {
        if (outcome === 'done') return stepUp.settle(true);
        setWaiting(false);
        setFault(outcomes[outcome] ?? failedText);
      }),
    [],
  );

  const open = async () => {
    setFault(undefined);
    // Within the click: a window that opens later is blocked.
    const other = window.open('', 'step-up', 'popup,width=520,height=680');
    if (!other) return setFault('The window was blocked. Allow pop-ups for this page and try again.');
    setWaiting(true);
    try {
      const { url } = await call(endpointDescriptors.stepUpSingleSignOn, {});
      other.location.replace(url);
    } catch (error) {
      other.close();
      setWaiting(false);
      setFault(textOf(error));
    }
  };

  return (
    <>
      <Button variant="outlined" color="inherit" startIcon={<MicrosoftMark />} onClick={() => void open()}>
        Confirm with Microsoft
      </Button>
      <div aria-live="polite">
        {fault !== undefined && <p className="fault">{fault}</p>}
        {isWaiting && <p>Go on in the window that has opened.</p>}
      </div>
    </>
  );
}

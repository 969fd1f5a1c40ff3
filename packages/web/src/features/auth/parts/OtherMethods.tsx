/** Alternatives to the authenticator app's code: passkey or recovery code. */
import Button from '@mui/material/Button';
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import type { PasskeyRequest } from '@parapet/contract/secondFactor.proof.ts';
import { type SyntheticEvent, useState } from 'react';
import { call } from '../../../lib/call.ts';
import { endpointDescriptors } from '../../../lib/endpointDescriptors.ts';
import { canUsePasskeys, isDismissed, provePasskey } from '../../../lib/passkeys.ts';
import { enter } from '../../../lib/signInCompletion.ts';
import { toast } from '../../../lib/toast.ts';
import { refusalOf } from '../mfa.ts';
import { AuthField } from './AuthField.tsx';
import { Form } from './login.styles.tsx';

interface Props {
  challenge: MfaChallenge;
  onRestart: (reason?: string) => void;
}

export function OtherMethods({ challenge, onRestart, onRecover }: Props & { onRecover: () => void }) {
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  /** The challenge was used; a second response would be rejected. */
  const [isUsed, setUsed] = useState(false);
  const request = canUsePasskeys() && !isUsed ? challenge.passkey : null;
  if (!challenge.passkey && !challenge.hasRecoveryCodes) return null;

  const signIn = async (passkeyRequest: PasskeyRequest) => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const passkey = await provePasskey(passkeyRequest);
      setUsed(true);
      const { user } = await call(endpointDescriptors.completeMfa, {
        body: { nonce: challenge.nonce, password: challenge.password, passkey },
      });
      await enter(user);
    } catch (error) {
      setBusy(false);
      if (isDismissed(error)) return setRefusal('The passkey was not used. Try again, or choose another method.');
      const { kind, text } = refusalOf(error);
      if (kind === 'restart') return onRestart(text);
      setRefusal(text);
    }
  };

  return (
    <div className="other">
      {request && (
        <Button variant="outlined" fullWidth loading={isBusy} onClick={() => void signIn(request)}>
          Use a passkey
        </Button>
      )}
      {challenge.hasRecoveryCodes && (
        <Button fullWidth onClick={onRecover}>
          Use a recovery code
        </Button>
      )}
      <div aria-live="polite">{refusal !== undefined && <p className="fault">{refusal}</p>}</div>
    </div>
  );
}

export function RecoveryCode({ challenge, onBack, onRestart }: Props & { onBack: () => void }) {
  const [recoveryCode, setCode] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (recoveryCode.trim() === '' || isBusy) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      const { nonce, password } = challenge;
      const { user, recoveryCodesLeft = 0 } = await call(endpointDescriptors.completeMfa, {
        body: { nonce, password, recoveryCode },
      });
      const left = recoveryCodesLeft === 1 ? '1 recovery code left' : `${recoveryCodesLeft} recovery codes left`;
      toast.warning(`Signed in with a recovery code. ${left}.`, 'user');
      await enter(user);
    } catch (error) {
      const { kind, text } = refusalOf(error);
      if (kind === 'restart') return onRestart(text);
      setRefusal(text);
      setBusy(false);
    }
  };

  return (
    <Form onSubmit={send} noValidate aria-labelledby="recovery-title">
      <h1 id="recovery-title">Use a recovery code</h1>
      <p id="recovery-help">Enter one of the codes you saved when you set up two-factor authentication. Each code works once.</p>
      <AuthField
        name="recoveryCode"
        label="Recovery code"
        type="code"
        inputMode="text"
        autoComplete="off"
        autoFocus
        help="recovery-help"
        value={recoveryCode}
        error={refusal}
        onChange={(typed) => {
          setCode(typed);
          setRefusal(undefined);
        }}
      />
      <div className="actions">
        <Button size="large" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" variant="contained" size="large" disabled={recoveryCode.trim() === ''} loading={isBusy}>
          Verify
        </Button>
      </div>
    </Form>
  );
}

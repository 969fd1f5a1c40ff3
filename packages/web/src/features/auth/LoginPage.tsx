/**
 * Sign-in (spec §2.3): password, then MFA where required. Loads alone and fast (goal G13): no TanStack Query, zod, toasts or TextField,
 * so the sign-in pages call their endpoints directly. MFA and the forgotten password load on demand.
 */
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import { Suspense, useEffect, useState } from 'react';
import { type FailedPartProps, lazyPart } from '../../kit/lazyPart.tsx';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from './parts/AuthScreen.tsx';
import { PasswordStep } from './parts/PasswordStep.tsx';

const MfaStep = lazyPart(
  () => import('./parts/MfaStep.tsx').then((module) => module.MfaStep),
  ({ props, error }: FailedPartProps<{ onRestart: (reason: string) => void }>) => {
    useEffect(() => props.onRestart(error.message), [props, error]);
    return null;
  },
);

export function LoginPage() {
  useTitle('Login');
  const [challenge, setChallenge] = useState<MfaChallenge>();
  /** Reason for a restart of the sign-in. */
  const [failure, setFailure] = useState<string>();
  return (
    <AuthScreen
      text={
        challenge
          ? 'Two-Factor Authentication keeps your account more secure.'
          : 'Please sign in to access the SOC management and analytics portal.'
      }
    >
      {challenge ? (
        <Suspense>
          <MfaStep
            challenge={challenge}
            onRestart={(reason) => {
              setFailure(reason);
              setChallenge(undefined);
            }}
          />
        </Suspense>
      ) : (
        <PasswordStep
          failure={failure}
          onChallenge={(next) => {
            setFailure(undefined);
            setChallenge(next);
          }}
        />
      )}
    </AuthScreen>
  );
}

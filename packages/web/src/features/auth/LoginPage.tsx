/**
 * Signing in (spec §2.3): the password, then perhaps the second factor. Stands alone and must load fast (goal G13): no Query, no zod, no
 * toasts, no TextField here; what only some need (second factor, forgotten password) is fetched when it is asked for.
 */
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import { lazy, Suspense, useState } from 'react';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from './parts/AuthScreen.tsx';
import { PasswordStep } from './parts/PasswordStep.tsx';

const MfaStep = lazy(() => import('./parts/MfaStep.tsx').then((module) => ({ default: module.MfaStep })));

export function LoginPage() {
  useTitle('Login');
  const [challenge, setChallenge] = useState<MfaChallenge>();
  /** Why the sign-in has to begin again. */
  const [failure, setFailure] = useState<string>();
  return (
    <AuthScreen
      title="Security operations, in one place"
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
            onRestart={(why) => {
              setFailure(why);
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

/** Email and password, single sign-on, and links to reset and registration. */
import Button from '@mui/material/Button';
import type { MfaChallenge } from '@parapet/contract/auth.ts';
import { type AnyRoute, useRouter } from '@tanstack/react-router';
import { Suspense, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { AppLink } from '../../../lib/AppLink.tsx';
import { linkOf, useBrand } from '../../../lib/brand.ts';
import { call } from '../../../lib/call.ts';
import { DemoProgress } from '../../../lib/DemoProgress.tsx';
import { endpointDescriptors, limits, tooShort } from '../../../lib/endpointDescriptors.ts';
import { lazyDialog } from '../../../lib/LazyDialog.tsx';
import { paths } from '../../../lib/paths.ts';
import { redirects } from '../../../lib/redirects.ts';
import { noticeText } from '../../../lib/session.ts';
import { enter } from '../../../lib/signInCompletion.ts';
import { signOnAddress } from '../../../lib/signOn.ts';
import { toast } from '../../../lib/toast.ts';
import { useSession } from '../../../lib/useSession.ts';
import { AuthField } from './AuthField.tsx';
import { Form, Notice } from './login.styles.tsx';
import { MicrosoftMark } from './MicrosoftMark.tsx';
import { Personas } from './Personas.tsx';

const ForgotPassword = lazyDialog('the dialog', () => import('./ForgotPassword.tsx').then((module) => module.ForgotPassword));

interface Props {
  failure: string | undefined;
  onChallenge: (challenge: MfaChallenge) => void;
}

export function PasswordStep({ failure, onChallenge }: Props) {
  const brand = useBrand();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [left, setLeft] = useState({ email: false, password: false });
  const { refusal, setRefusal, isBusy, signIn } = useSignIn(onChallenge);
  const [hasForgotten, setForgotten] = useState(false);
  // Browsers may display a stored password but hide it from the page until the user interacts.
  const [isAutofilled, setAutofilled] = useState(false);
  const submit = useRef<HTMLButtonElement>(null);

  const isEmailValid = email.trim().length >= limits.emailMinLength;
  const isPasswordValid = password.length >= limits.loginPasswordMinLength;
  const isValid = (isEmailValid && isPasswordValid) || isAutofilled;

  usePreload(isValid);

  return (
    <>
      <Form onSubmit={signIn} noValidate aria-labelledby="login-title">
        <h1 id="login-title">Sign in</h1>
        <Reason failure={failure} />
        <AuthField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          isAnnounced={refusal === undefined}
          value={email}
          error={refusal ?? (left.email && !isEmailValid ? tooShort(limits.emailMinLength) : undefined)}
          onChange={(value) => {
            setEmail(value);
            setRefusal(undefined);
          }}
          onLeave={() => setLeft((old) => ({ ...old, email: email !== '' || old.email }))}
          onAutofill={setAutofilled}
        />
        <AuthField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          isAnnounced={refusal === undefined}
          value={password}
          error={refusal ?? (left.password && !isPasswordValid ? tooShort(limits.loginPasswordMinLength) : undefined)}
          onChange={(value) => {
            setPassword(value);
            setRefusal(undefined);
          }}
          onLeave={() => setLeft((old) => ({ ...old, password: password !== '' || old.password }))}
          onAutofill={setAutofilled}
        />
        <Button ref={submit} type="submit" variant="contained" size="large" disabled={!isValid} loading={isBusy} fullWidth>
          Login
        </Button>
        <OtherWays onForgotten={() => setForgotten(true)} />
      </Form>
      <DemoProgress place="sign-in" />
      {brand.demo && brand.demo.progress?.canSignIn !== false && (
        <Personas
          demo={brand.demo}
          chosen={email}
          onChoose={(persona) => {
            setEmail(persona.email);
            setPassword(brand.demo?.password ?? '');
            setRefusal(undefined);
            // Pressing Enter then signs in.
            requestAnimationFrame(() => submit.current?.focus());
          }}
        />
      )}
      {hasForgotten && (
        <Suspense>
          <ForgotPassword email={email} onClose={() => setForgotten(false)} />
        </Suspense>
      )}
    </>
  );
}

function useSignIn(onChallenge: Props['onChallenge']) {
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const endError = useRef<() => void>(undefined);
  const change = (next: string | undefined) => {
    if (next === undefined) endError.current?.();
    setRefusal(next);
  };

  const signIn = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const data = new FormData(event.currentTarget);
    setBusy(true);
    change(undefined);
    try {
      const { user, mfaChallenge } = await call(endpointDescriptors.authenticate, {
        body: { email: String(data.get('email')).trim(), password: String(data.get('password')) },
      });
      if (mfaChallenge) onChallenge(mfaChallenge);
      else if (user) await enter(user);
      else throw new Error('Couldn’t read the portal’s response. Try again.');
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      // spec §4: the server's error shows at both fields and as a notification.
      setRefusal(text);
      endError.current = toast.error(text, 'user');
      setBusy(false);
    }
  };
  return { refusal, setRefusal: change, isBusy, signIn };
}

/** Reason to sign in: the failure of another sign-in, or the end of the session. */
function Reason({ failure }: Pick<Props, 'failure'>) {
  const state = useSession();
  const notice = state.status === 'guest' ? noticeText(state.notice) : undefined;
  if (failure !== undefined) return <Notice role="alert">{failure}</Notice>;
  return notice !== undefined && <Notice role="status">{notice}</Notice>;
}

/** Preloads the dashboard while the user reaches for the button. */
function usePreload(isReady: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isReady) return;
    const { '/shell': shell, '/shell/apps/dashboard/{-$client}': page } = router.routesById as Record<
      string,
      AnyRoute | undefined
    >;
    for (const route of [shell, page]) if (route) router.loadRouteChunk(route)?.catch(() => {});
  }, [isReady, router]);
}

/** Single sign-on, forgotten password, registration or contact. */
function OtherWays({ onForgotten }: { onForgotten: () => void }) {
  const brand = useBrand();
  const contact = linkOf(brand.contact);
  return (
    <>
      {brand.singleSignOn && (
        <Button
          component="a"
          href={signOnAddress(redirects.peek())}
          variant="outlined"
          color="inherit"
          size="large"
          startIcon={<MicrosoftMark />}
          fullWidth
        >
          Login with Microsoft
        </Button>
      )}
      <p>
        <button type="button" className="link" onClick={onForgotten}>
          Forgot Password
        </button>
      </p>
      {brand.registration ? (
        <p>
          No account yet? <AppLink href={paths.register()}>Register</AppLink>
        </p>
      ) : (
        contact && (
          <p>
            Trouble signing in? <a href={contact}>Contact {brand.name}</a>
          </p>
        )
      )}
    </>
  );
}

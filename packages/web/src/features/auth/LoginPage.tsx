/**
 * Signing in (spec §2.3). Stands alone and must load fast (goal G13): no Query, no zod, no toasts, no TextField here; what follows the
 * sign-in is fetched once the form is filled.
 */
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { type AnyRoute, useRouter } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { call } from '../../lib/call.ts';
import { doors, emailMinLength, loginPasswordMinLength } from '../../lib/doors.ts';
import { session } from '../../lib/session.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { useSession } from '../../lib/useSession.ts';
import { LoginField } from './parts/LoginField.tsx';
import { Art, Aside, Form, Main, Notice, Screen } from './parts/loginLook.tsx';
import { Personas } from './parts/Personas.tsx';

const tooShort = (least: number) => `Min character length is ${least}`;

export function LoginPage() {
  useTitle('Login');
  const brand = useBrand();
  const state = useSession();
  const router = useRouter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [left, setLeft] = useState({ email: false, password: false });
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // The browser may show a stored password and hide it from the page until the user acts.
  const [isAutofilled, setAutofilled] = useState(false);
  const submit = useRef<HTMLButtonElement>(null);

  const isEmailValid = email.trim().length >= emailMinLength;
  const isPasswordValid = password.length >= loginPasswordMinLength;
  const isValid = (isEmailValid && isPasswordValid) || isAutofilled;

  useEffect(() => {
    // What the dashboard needs, while the user reaches for the button.
    if (!isValid) return;
    const { '/shell': shell, '/shell/apps/dashboard/{-$client}': page } = router.routesById as Record<
      string,
      AnyRoute | undefined
    >;
    for (const route of [shell, page]) if (route) router.loadRouteChunk(route)?.catch(() => {});
  }, [isValid, router]);

  const signIn = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setRefusal(undefined);
    try {
      const { user } = await call(doors.authenticate, {
        body: { email: String(data.get('email')).trim(), password: String(data.get('password')) },
      });
      if (user) session.signIn(user);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      // spec §4: the server's error is kept on both fields and shown as a notification.
      setRefusal(text);
      toast.error(text, 'user');
      setBusy(false);
    }
  };

  const contact = linkOf(brand.contact);
  const notice = state.status === 'guest' ? state.notice : undefined;
  return (
    <Screen>
      <Aside>
        <BrandLogo />
        <div>
          <h2>Security operations, in one place</h2>
          <p>Please sign in to access the SOC management and analytics portal.</p>
        </div>
        <Art aria-hidden viewBox="0 0 560 96" preserveAspectRatio="xMinYMax slice">
          <path d="M0 96V32h40v24h40V32h40v24h40V32h40v24h40V32h40v24h40V32h40v24h40V32h40v24h40V32h40v24h40V32h40v64z" />
        </Art>
      </Aside>
      <Main>
        <Form onSubmit={signIn} noValidate aria-labelledby="login-title">
          <h1 id="login-title">Sign in</h1>
          {notice && <Notice role="status">You have been signed out: {notice}</Notice>}
          <LoginField
            name="email"
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            value={email}
            error={refusal ?? (left.email && !isEmailValid ? tooShort(emailMinLength) : undefined)}
            onChange={(value) => {
              setEmail(value);
              setRefusal(undefined);
            }}
            onLeave={() => setLeft((old) => ({ ...old, email: email !== '' || old.email }))}
            onAutofill={setAutofilled}
          />
          <LoginField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            value={password}
            error={refusal ?? (left.password && !isPasswordValid ? tooShort(loginPasswordMinLength) : undefined)}
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
          {contact && (
            <p>
              Trouble signing in?{' '}
              <Link href={contact} underline="always">
                Contact {brand.name}
              </Link>
            </p>
          )}
        </Form>
        {brand.demo && (
          <Personas
            demo={brand.demo}
            chosen={email}
            onChoose={(persona) => {
              setEmail(persona.email);
              setPassword(brand.demo?.password ?? '');
              setRefusal(undefined);
              // Enter then signs in.
              requestAnimationFrame(() => submit.current?.focus());
            }}
          />
        )}
      </Main>
    </Screen>
  );
}

/** The user’s MFA: authenticator app, recovery codes and passkeys. */
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { secondFactorQuery } from '../account.queries.ts';
import { AuthenticatorCard } from './AuthenticatorCard.tsx';
import { PasskeysCard } from './PasskeysCard.tsx';
import { RecoveryCodesCard } from './RecoveryCodesCard.tsx';
import { Stack } from './settings.styles.ts';

export function SecondFactorSection() {
  const { data, error, refetch } = useQuery(secondFactorQuery());
  if (!data)
    return (
      <Card title="Authenticator app">
        {error ? (
          <FailedState what="your MFA settings" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={2} lineHeight={36} />
        )}
      </Card>
    );
  return (
    <>
      <Stack>
        <AuthenticatorCard factor={data} />
        <RecoveryCodesCard factor={data} />
      </Stack>
      <PasskeysCard factor={data} />
    </>
  );
}

/** Notifications in browsers, and emails: optional kinds can be toggled, account security emails are listed as always sent. */
import { subscriptionKinds } from '@parapet/contract/mailSubscriptions.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { useScope } from '../../../lib/scope.ts';
import { ownMailsQuery, useChooseOwn } from '../account.queries.ts';
import { mailKinds } from '../mails.ts';
import { BrowsersCard } from './BrowsersCard.tsx';
import { OnOff } from './ChoiceGroup.tsx';
import { Stack } from './settings.styles.ts';

export function NotificationsSection() {
  const { user } = useScope();
  const { data, error, refetch } = useQuery(ownMailsQuery());
  const choose = useChooseOwn();
  return (
    <Stack>
      <Card isWide title="Emails" purpose={`Sent to ${user.emailAddress}. Changes take effect immediately.`}>
        {data ? (
          <Stack>
            {subscriptionKinds.map(({ value, label }) => (
              <OnOff
                key={value}
                label={label}
                isOn={data.kinds.includes(value)}
                onChange={(isOn) => choose.mutate({ kind: value, isOn })}
              />
            ))}
          </Stack>
        ) : error ? (
          <FailedLine what="your email notifications" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={subscriptionKinds.length} lineHeight={48} />
        )}
      </Card>
      <BrowsersCard />
      <Card isWide title="Always sent" purpose="Account security emails can’t be turned off.">
        <Stack>
          {mailKinds.map(({ kind, title, hint }) => (
            <OnOff key={kind} label={title} hint={hint} isFixed isOn onChange={() => {}} />
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}

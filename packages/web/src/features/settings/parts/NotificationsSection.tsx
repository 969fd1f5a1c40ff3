/** Which mails come: those that one can do without are chosen here, those about the account's own safety are said. */
import { mailSubscriptionsApi, type SubscriptionKind, subscriptionKinds } from '@parapet/contract/mailSubscriptions.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { call } from '../../../lib/call.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { ownMailsQuery } from '../account.queries.ts';
import { mailKinds } from '../mails.ts';
import { OnOff } from './ChoiceGroup.tsx';
import { Stack } from './looks.ts';

export function NotificationsSection() {
  const { user } = useScope();
  const { data, error, refetch } = useQuery(ownMailsQuery());
  const choose = useChooseOwn();
  return (
    <Stack>
      <Card title="Mails" purpose={`Sent to ${user.emailAddress}. A change counts at once.`}>
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
      <Card title="Always sent" purpose="Mails about the safety of your account cannot be switched off.">
        <Stack>
          {mailKinds.map(({ kind, title, hint }) => (
            <OnOff key={kind} label={title} hint={hint} isFixed isOn onChange={() => {}} />
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}

/** Shows at once, and goes back when it could not be saved. */
function useChooseOwn() {
  const queries = useQueryClient();
  const { queryKey } = ownMailsQuery();
  const put = (kind: SubscriptionKind, isOn: boolean) =>
    queries.setQueryData(
      queryKey,
      (old) => old && { ...old, kinds: [...old.kinds.filter((each) => each !== kind), ...(isOn ? [kind] : [])] },
    );
  return useMutation({
    scope: { id: mailSubscriptionsApi.updateMine.id },
    mutationFn: (_: { kind: SubscriptionKind; isOn: boolean }) =>
      call(mailSubscriptionsApi.updateMine, { body: { kinds: queries.getQueryData(queryKey)?.kinds ?? [] } }),
    onMutate: async ({ kind, isOn }) => {
      await queries.cancelQueries({ queryKey });
      put(kind, isOn);
    },
    onError: (error, { kind, isOn }) => {
      put(kind, !isOn);
      toast.error(`It could not be saved. ${error.message}`);
    },
  });
}

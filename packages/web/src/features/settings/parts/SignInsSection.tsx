/** The user’s active sessions; one or all others can be ended. */
import Button from '@mui/material/Button';
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Hidden } from '../../../kit/Announced.tsx';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { sessionsQuery, useEndOtherSessions, useEndSession } from '../account.queries.ts';
import { browserName } from '../browserName.ts';
import { Scroll, Stack, Table } from './settings.styles.ts';

type SignIn = AnswerOf<typeof accountApi.sessions>['results'][number];

const methods: Record<SignIn['method'], string> = {
  password: 'Password',
  mfa: 'Password and MFA',
  singleSignOn: 'Single sign-on',
};

export function SignInsSection() {
  const { timeZone } = useScope();
  const [endOne, endOthers] = [useEndSession(), useEndOtherSessions()];
  const { data, error, refetch } = useQuery(sessionsQuery());
  const [ended, setEnded] = useState<SignIn | 'others'>();

  const close = () => setEnded(undefined);
  const end = () => {
    if (ended === 'others') endOthers.mutate({}, { onSuccess: close });
    else if (ended) endOne.mutate({ params: { id: ended.id } }, { onSuccess: close });
  };

  const signIns = data?.results;
  const others = signIns?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Card isWide title="Active sessions" purpose="Don’t recognise a session? End it and change your password on your profile.">
      {!signIns &&
        (error ? (
          <FailedState what="active sessions" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={48} />
        ))}
      {signIns && (
        <Stack>
          <Scroll>
            <Table aria-label="Sessions">
              <thead>
                <tr>
                  <th scope="col">Browser</th>
                  <th scope="col">Source address</th>
                  <th scope="col">Signed in</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Method</th>
                  <th scope="col">
                    <Hidden>Actions</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {signIns.map((each) => (
                  <tr key={each.id}>
                    <th scope="row" title={each.userAgent}>
                      <VisibleText text={browserName(each.userAgent)} />
                      {each.isCurrent && <small>Current session</small>}
                    </th>
                    <td>
                      <MonoText>{each.address || 'Unknown'}</MonoText>
                    </td>
                    <td>
                      <AbsoluteTime at={each.signedInAt} timeZone={timeZone} />
                    </td>
                    <td>
                      <RelativeTime at={each.lastSeenAt} timeZone={timeZone} />
                    </td>
                    <td>{methods[each.method]}</td>
                    <td>
                      {!each.isCurrent && (
                        <Button
                          size="small"
                          color="error"
                          aria-label={`End ${browserName(each.userAgent)}`}
                          onClick={() => setEnded(each)}
                        >
                          End
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          </Scroll>
          <div>
            <Button variant="outlined" color="error" disabled={others === 0} onClick={() => setEnded('others')}>
              End all others
            </Button>
          </div>
        </Stack>
      )}
      <ConfirmDialog
        isOpen={ended !== undefined}
        title={ended === 'others' ? 'End all other sessions?' : 'End this session?'}
        isBusy={endOne.isPending || endOthers.isPending}
        onNo={close}
        onYes={end}
      >
        {ended === 'others'
          ? 'All other browsers are signed out immediately. This session continues.'
          : `${ended ? browserName(ended.userAgent) : ''} is signed out immediately; unsaved changes there are lost.`}
      </ConfirmDialog>
    </Card>
  );
}

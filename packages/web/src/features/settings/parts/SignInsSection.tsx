/** Where one is signed in; one sign-in, or all others, can be ended from here. */
import Button from '@mui/material/Button';
import { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { sessionsQuery, useAccountChanged } from '../account.queries.ts';
import { browserName } from '../browserName.ts';
import { Stack } from './looks.ts';

type SignIn = AnswerOf<typeof accountApi.sessions>['results'][number];

const methods: Record<SignIn['method'], string> = {
  password: 'Password',
  mfa: 'Password and second factor',
  singleSignOn: 'Single sign-on',
};

export function SignInsSection() {
  const { timeZone } = useScope();
  const changed = useAccountChanged();
  const { data, error, refetch } = useQuery(sessionsQuery());
  const [ended, setEnded] = useState<SignIn | 'others'>();
  const [isBusy, setBusy] = useState(false);

  const end = async () => {
    if (!ended) return;
    setBusy(true);
    try {
      if (ended === 'others') {
        const answer = await call(accountApi.endOtherSessions, {});
        toast.success(answer.ended === 1 ? 'One other sign-in was ended' : `${answer.ended} other sign-ins were ended`);
      } else {
        await call(accountApi.endSession, { params: { id: ended.id } });
        toast.success('The sign-in was ended');
      }
      setEnded(undefined);
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'The sign-in could not be ended.');
    }
    await changed('sessions');
    setBusy(false);
  };

  const signIns = data?.results;
  const others = signIns?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Card title="Where you are signed in" purpose="Something you do not know? End it, and change your password on your profile.">
      {!signIns &&
        (error ? (
          <FailedState what="active sessions" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={48} />
        ))}
      {signIns && (
        <Stack>
          <Rows aria-label="Sign-ins">
            {signIns.map((each) => (
              <Row key={each.id} aria-label={browserName(each.userAgent)}>
                <div className="fields">
                  <strong title={each.userAgent}>
                    <VisibleText text={browserName(each.userAgent)} />
                    {each.isCurrent && ' · this one'}
                  </strong>
                  <DefinitionList
                    minWidth={150}
                    facts={[
                      { name: 'From', value: <MonoText>{each.address || 'Unknown'}</MonoText> },
                      { name: 'Signed in', value: <AbsoluteTime at={each.signedInAt} timeZone={timeZone} /> },
                      { name: 'Last used', value: <RelativeTime at={each.lastSeenAt} timeZone={timeZone} /> },
                      { name: 'By', value: methods[each.method] },
                    ]}
                  />
                </div>
                {!each.isCurrent && (
                  <span className="buttons">
                    <Button
                      size="small"
                      color="error"
                      aria-label={`End ${browserName(each.userAgent)}`}
                      onClick={() => setEnded(each)}
                    >
                      End
                    </Button>
                  </span>
                )}
              </Row>
            ))}
          </Rows>
          <div>
            <Button variant="outlined" color="error" disabled={others === 0} onClick={() => setEnded('others')}>
              End all others
            </Button>
          </div>
        </Stack>
      )}
      <ConfirmDialog
        isOpen={ended !== undefined}
        title={ended === 'others' ? 'End all other sign-ins?' : 'End the sign-in?'}
        isBusy={isBusy}
        onNo={() => setEnded(undefined)}
        onYes={() => void end()}
      >
        {ended === 'others'
          ? 'Every other browser that you are signed in with is signed out at once. This one stays.'
          : `${ended ? browserName(ended.userAgent) : ''} is signed out at once; what was not saved there is lost.`}
      </ConfirmDialog>
    </Card>
  );
}

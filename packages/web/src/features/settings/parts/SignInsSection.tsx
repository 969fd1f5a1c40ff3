/** The user’s active sessions; one or all others can be ended. */
import Button from '@mui/material/Button';
import type { accountApi } from '@parapet/contract/account.ts';
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
import { useScope } from '../../../lib/scope.ts';
import { sessionsQuery, useEndOtherSessions, useEndSession } from '../account.queries.ts';
import { browserName } from '../browserName.ts';
import { Stack } from './settings.styles.ts';

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
    <Card title="Active sessions" purpose="Don’t recognise a session? End it and change your password on your profile.">
      {!signIns &&
        (error ? (
          <FailedState what="active sessions" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={48} />
        ))}
      {signIns && (
        <Stack>
          <Rows aria-label="Sessions">
            {signIns.map((each) => (
              <Row key={each.id} aria-label={browserName(each.userAgent)}>
                <div className="fields">
                  <strong title={each.userAgent}>
                    <VisibleText text={browserName(each.userAgent)} />
                    {each.isCurrent && ' · current session'}
                  </strong>
                  <DefinitionList
                    minWidth={150}
                    facts={[
                      { name: 'Source address', value: <MonoText>{each.address || 'Unknown'}</MonoText> },
                      { name: 'Signed in', value: <AbsoluteTime at={each.signedInAt} timeZone={timeZone} /> },
                      { name: 'Last used', value: <RelativeTime at={each.lastSeenAt} timeZone={timeZone} /> },
                      { name: 'Method', value: methods[each.method] },
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

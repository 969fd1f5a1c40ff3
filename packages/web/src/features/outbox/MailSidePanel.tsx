/** Details and text of one email. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../kit/DefinitionList.tsx';
import { Note } from '../../kit/Note.tsx';
import { palette } from '../../kit/palette.ts';
import { AbsoluteTime } from '../../kit/RelativeTime.tsx';
import { SidePanel } from '../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { stateText } from './mailColumns.tsx';
import { mailQuery } from './outbox.queries.ts';

const Text = styled('div')({
  marginTop: 16,
  paddingTop: 16,
  borderTop: `1px solid ${palette.divider}`,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
});

export function MailSidePanel({ id, timeZone, onClose }: { id: number | undefined; timeZone: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...mailQuery(id ?? 1), enabled: id !== undefined });
  const email = data?.id === id ? data : undefined;
  return (
    <SidePanel isOpen={id !== undefined} title={id === undefined ? 'Email' : `Email ${id}`} onClose={onClose}>
      {email ? (
        <>
          <DefinitionList
            minWidth={160}
            facts={[
              { name: 'Subject', value: <VisibleText text={email.subject} />, isWide: true },
              { name: 'State', value: stateText[email.state], isWide: true },
              { name: 'Mail server response', value: email.error && <VisibleText text={email.error} />, isWide: true },
              { name: 'From', value: <VisibleText text={email.from} /> },
              { name: 'To', value: <VisibleText text={email.to} /> },
              { name: 'Cc', value: email.cc && <VisibleText text={email.cc} /> },
              { name: 'Client', value: <VisibleText text={email.clientOrganizationName} /> },
              { name: 'Created', value: <AbsoluteTime at={email.createdAt} timeZone={timeZone} /> },
              { name: 'Sent', value: email.sentAt && <AbsoluteTime at={email.sentAt} timeZone={timeZone} /> },
            ]}
          />
          {email.linkUserID !== null && email.state !== 'sent' && email.state !== 'waiting' && (
            <Note
              actions={
                <Button
                  size="small"
                  variant="outlined"
                  component={AppLink}
                  href={paths.profile(email.linkUserID, { client: email.clientOrganizationID })}
                >
                  Open user
                </Button>
              }
            >
              The one-time link was not delivered and is not stored. Create a new one on the user’s page.
            </Note>
          )}
          <Text>
            <VisibleText text={email.text} keepLines />
          </Text>
        </>
      ) : error ? (
        <FailedState what="the email" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={10} />
      )}
    </SidePanel>
  );
}

/** Preview of an email as text. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../kit/DefinitionList.tsx';
import { Note } from '../../kit/Note.tsx';
import { AbsoluteTime } from '../../kit/RelativeTime.tsx';
import { SidePanel } from '../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { stateText } from './mailColumns.tsx';
import { mailQuery } from './outbox.queries.ts';

const Text = styled('div')(({ theme }) => ({
  marginTop: 16,
  paddingTop: 16,
  borderTop: `1px solid ${(theme.vars ?? theme).palette.divider}`,
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
}));

interface Props {
  id: number | undefined;
  timeZone: string;
  onClose: () => void;
}

export function MailSidePanel({ id, timeZone, onClose }: Props) {
  const { data, error, refetch } = useQuery({ ...mailQuery(id ?? 1), enabled: id !== undefined });
  const mail = data?.id === id ? data : undefined;
  return (
    <SidePanel isOpen={id !== undefined} title={id === undefined ? 'Email' : `Email ${id}`} onClose={onClose}>
      {mail ? (
        <>
          <DefinitionList
            minWidth={160}
            facts={[
              { name: 'Subject', value: <VisibleText text={mail.subject} />, isWide: true },
              { name: 'State', value: stateText[mail.state], isWide: true },
              { name: 'Mail server response', value: mail.error && <VisibleText text={mail.error} />, isWide: true },
              { name: 'From', value: <VisibleText text={mail.from} /> },
              { name: 'To', value: <VisibleText text={mail.to} /> },
              { name: 'Copy to', value: mail.cc && <VisibleText text={mail.cc} /> },
              { name: 'Client', value: <VisibleText text={mail.clientOrganizationName} /> },
              { name: 'Created', value: <AbsoluteTime at={mail.createdAt} timeZone={timeZone} /> },
              { name: 'Sent', value: mail.sentAt && <AbsoluteTime at={mail.sentAt} timeZone={timeZone} /> },
            ]}
          />
          {mail.linkUserID !== null && mail.state !== 'sent' && mail.state !== 'waiting' && (
            <Note
              actions={
                <Button
                  size="small"
                  variant="outlined"
                  component={AppLink}
                  href={paths.profile(mail.linkUserID, { client: mail.clientOrganizationID })}
                >
                  Open the user
                </Button>
              }
            >
              The one-time link was not delivered, and it is not stored. Create a new one on the user’s page.
            </Note>
          )}
          <Text>
            <VisibleText text={mail.text} keepLines />
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

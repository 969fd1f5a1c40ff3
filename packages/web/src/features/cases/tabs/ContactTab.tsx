/** Contact details of the client: service level, escalation, emergency contacts, notes and playbook. */
import Box from '@mui/material/Box';
import { styled } from '@mui/material/styles';
import { subscriptionLevels } from '@parapet/contract/organisations.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { palette } from '../../../kit/palette.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import type { TabProps } from './tab.ts';

const Contacts = styled('ol')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { padding: '8px 0', borderTop: `1px solid ${palette.divider}`, overflowWrap: 'anywhere' },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& a': { color: palette.primary.main },
});
const Prose = styled('div')({
  fontSize: 14,
  lineHeight: '22px',
  maxWidth: '84ch',
  whiteSpace: 'pre-line',
  overflowWrap: 'anywhere',
});
const Quiet = styled('div')({ fontSize: 13, color: palette.text.secondary });

/** `tel:` link with digits only; phone numbers are free text. */
const telOf = (phone: string) => `tel:${phone.replace(/[^\d+]/g, '')}`;

export function ContactTab({ detail }: TabProps) {
  const { may } = useScope();
  const client = detail.clientOrganizationDetails;
  const level = subscriptionLevels.find(({ id }) => id === client.subscriptionLevelID)?.name ?? 'Unknown';
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Section title="Client">
        <DefinitionList
          facts={[
            { name: 'Name', value: <VisibleText text={client.clientOrganization.name} /> },
            { name: 'Service level', value: level },
            { name: 'Notify about', value: client.alertTypes.join(', ') || 'All alert types', isWide: true },
            {
              name: 'Escalation addresses',
              value:
                client.escalationEmailAddresses
                  .map(({ emailType, emailAddress }) => `${emailAddress} (${emailType === 'to' ? 'To' : 'Cc'})`)
                  .join(', ') || 'None. Case emails have no recipient.',
              isWide: true,
            },
          ]}
        />
        {may('clientDetails:write') && (
          <Box className="no-print" sx={{ mt: 1.5, fontSize: 13 }}>
            <AppLink href={paths.clientDetails('contacts', { client: client.clientOrganization.id })}>Edit contacts</AppLink>
          </Box>
        )}
      </Section>
      <Section title="Emergency contacts" note="In order of priority">
        {client.emergencyContacts.length === 0 ? (
          <Quiet>No emergency contacts.</Quiet>
        ) : (
          <Contacts>
            {client.emergencyContacts.map((contact) => (
              <li key={`${contact.name} ${contact.phoneNumber}`}>
                <b>
                  <VisibleText text={contact.name} />
                </b>
                {contact.title && (
                  <>
                    , <VisibleText text={contact.title} />
                  </>
                )}
                <br />
                {contact.phoneNumber && (
                  <a href={telOf(contact.phoneNumber)}>
                    <VisibleText text={contact.phoneNumber} />
                  </a>
                )}
                {contact.emailAddress && (
                  <>
                    {contact.phoneNumber && ' · '}
                    <VisibleText text={contact.emailAddress} />
                  </>
                )}
                {contact.hours && (
                  <>
                    {' · '}
                    <VisibleText text={contact.hours} />
                  </>
                )}
              </li>
            ))}
          </Contacts>
        )}
      </Section>
      <Section title="General notes">
        {client.generalAlertNotes ? (
          <Prose>
            <VisibleText text={client.generalAlertNotes} keepLines />
          </Prose>
        ) : (
          <Quiet>None.</Quiet>
        )}
      </Section>
      <Section title="Playbook">
        {client.alertPlaybookData ? (
          <Prose>
            <VisibleText text={client.alertPlaybookData} keepLines />
          </Prose>
        ) : (
          <Quiet>None.</Quiet>
        )}
      </Section>
    </Box>
  );
}

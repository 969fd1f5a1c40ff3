/** /pages/faq: built-in help for brands without help pages. */
import { styled } from '@mui/material/styles';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { palette } from '../../kit/palette.ts';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { useTitle } from '../../lib/title.ts';

const questions: [question: string, answer: string][] = [
  [
    'Where do the alerts come from?',
    'Your devices and services send their logs. Detection rules read every event as it arrives; when one matches, an alert is raised. Each alert shows the rule, the fields that matched and the event itself.',
  ],
  [
    'What do the severities mean?',
    'Critical: act now, an attack is likely under way. High: investigate today. Medium: investigate this week. Low: for your awareness. Informational: context, no action needed.',
  ],
  [
    'Why does an alert have a count?',
    'When the same rule fires again for the same device and user within a short time, it increases the count of the existing alert instead of raising another one.',
  ],
  [
    'How do I find an alert, device or user?',
    'Press Ctrl K on any page and type a name or number. The search covers the pages, alerts, data sources, users, rules and organisations that you have access to. In a list, / opens its own search.',
  ],
  [
    'What is a data source?',
    'Anything that sends events or appears in them: servers, workstations, network devices, productivity suites, cloud platforms and cloud applications.',
  ],
  [
    'How do I connect a new source?',
    'An administrator creates an ingest key under Settings, Administration, Client details, Ingest keys. It is shown once, with configurations for Beats and rsyslog. Events appear within seconds.',
  ],
  [
    'What are tags for?',
    'Tags group data sources, for example by site or criticality. Select data sources in the list, press Tag, then filter by the tag.',
  ],
  [
    'How long is data kept?',
    'Unless your organisation changed it: events for 30 days, alerts with their events for 13 months, daily figures for 5 years. See Client details, Retention.',
  ],
  [
    'Which time zone is used?',
    'Your browser’s, or the one selected under Settings, Time, where you also choose between the 12- and 24-hour clock. Hover over a time to see it in full.',
  ],
  [
    'Can I change how the portal looks?',
    'Yes, under Settings, Appearance: 26 light and dark themes, the position of the navigation and toolbar, page width and row density. These settings are stored with your account and apply on every device.',
  ],
  [
    'How do I invite a colleague?',
    'Administrators add users under Settings, Administration, Users. The invitation leads to a page where your colleague chooses a password; no one else ever sees it.',
  ],
  [
    'I have a new phone. How do I move MFA to it?',
    'While you can still sign in: Settings, MFA, Reset MFA; the next sign-in sets up the new device. Without the old phone, sign in with a recovery code first. If you can no longer sign in, contact us.',
  ],
  [
    'I don’t recognise a sign-in. What should I do?',
    'End it under Settings, Sessions, then change your password on your profile, which ends all other sessions. Then inform your administrator.',
  ],
  [
    'Is there an API?',
    'Yes. Create an API key under Settings, API keys. It has your permissions or fewer, expires automatically, and can be revoked at any time.',
  ],
  [
    'Can I work with the keyboard?',
    'Yes. Press ? on any page for the list of shortcuts: g a opens the alerts, j and k move in a list, Enter opens, / searches.',
  ],
];

const List = styled('div')({
  maxWidth: 760,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  '& details + details': { borderTop: `1px solid ${palette.divider}` },
  '& summary': { padding: '14px 16px', fontWeight: 600, cursor: 'pointer', borderRadius: 8 },
  '& summary:hover': { backgroundColor: palette.action.hover },
  '& summary:focus-visible': { outlineOffset: -2 },
  '& p': { margin: 0, padding: '0 16px 16px', color: palette.text.secondary },
});

export function FaqPage() {
  useTitle('FAQ');
  const { name, contact } = useBrand();
  const link = linkOf(contact);
  return (
    <>
      <PageHeader title="FAQ" purpose={`Short answers about the ${name} portal.`} />
      <List>
        {questions.map(([question, answer], index) => (
          <details key={question} open={index === 0}>
            <summary>{question}</summary>
            <p>{answer}</p>
          </details>
        ))}
      </List>
      {link && (
        <p>
          Something else? <a href={link}>Contact us</a>.
        </p>
      )}
    </>
  );
}

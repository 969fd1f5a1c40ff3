/** /pages/faq: the portal's own answers, for brands without help pages (decision 25). Only about what exists. */
import { styled } from '@mui/material/styles';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { useTitle } from '../../lib/title.ts';

const questions: [question: string, answer: string][] = [
  [
    'Where do the alerts come from?',
    'Your devices and services send their logs. Detection rules read every event as it arrives; when one matches, an alert is raised. Each alert shows the rule, the fields that matched and the event itself.',
  ],
  [
    'What do the severities mean?',
    'Critical: act now, an attack is likely under way. High: look at it today. Medium: look at it this week. Low: worth knowing. Informational: context, no action needed.',
  ],
  [
    'Why does an alert have a count?',
    'When the same rule fires again for the same device and user within a short time, it is counted on the alert that is there already instead of raising another one.',
  ],
  [
    'How do I find one alert, device or user?',
    'Press Ctrl K on any page and type a name or a number. The search finds pages, alerts, data sources, users, rules and organisations that you may see. In a list, / leads to its own search.',
  ],
  [
    'What is a data source?',
    'Whatever sends events or is spoken of in them: servers, workstations, network devices, productivity suites, cloud platforms and cloud applications.',
  ],
  [
    'How do I connect a new source?',
    'An administrator makes an ingest key under Settings, Administration, Client details, Ingest keys. It is shown once, with the lines to paste into Beats or rsyslog. Events appear within seconds.',
  ],
  [
    'What are tags for?',
    'Tags mark data sources that belong together, such as a site or a critical system. Select data sources in the list, press Tag, and filter by the tag afterwards.',
  ],
  [
    'How long is everything kept?',
    'Unless your organisation chose otherwise: events for 30 days, alerts with the events that raised them for 13 months, daily figures for 5 years. Client details, Retention, says what holds for you.',
  ],
  [
    'Which time zone do I see?',
    'Your browser’s, or the one that you choose under Settings, Time; there you also choose between 12 and 24 hours. Rest the pointer on a time to see it in full.',
  ],
  [
    'Can I change how the portal looks?',
    'Yes, under Settings, Look: 26 themes, light and dark, where the navigation and the toolbar stand, how wide pages are and how close rows are. It is kept with your account and shows on every machine that you sign in on.',
  ],
  [
    'How do I invite a colleague?',
    'Administrators add users under Settings, Administration, Users. An invitation leads to a page where your colleague chooses a password; nobody else ever sees it.',
  ],
  [
    'I have a new phone. How do I move my second factor?',
    'While you can still sign in: Settings, Second factor, Reset MFA; the next sign-in sets up the new device. Without the old phone, sign in with a recovery code first. If you cannot sign in any more, contact us.',
  ],
  [
    'I see a sign-in that I do not know. What now?',
    'End it under Settings, Sign-ins, then change your password on your profile: that ends all other sign-ins too. Then tell your administrator.',
  ],
  [
    'Can a program ask the portal?',
    'Yes. Make an API key under Settings, API keys: it has your rights or fewer, ends by itself, and can be revoked at any time.',
  ],
  [
    'Can I work with the keyboard?',
    'Yes. Press ? on any page for the list of keys: g a goes to the alerts, j and k move in a list, Enter opens, / searches.',
  ],
];

const List = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    maxWidth: 760,
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
    backgroundColor: palette.background.paper,
    '& details + details': { borderTop: `1px solid ${palette.divider}` },
    '& summary': { padding: '14px 16px', fontWeight: 600, cursor: 'pointer', borderRadius: 8 },
    '& summary:hover': { backgroundColor: palette.action.hover },
    '& summary:focus-visible': { outlineOffset: -2 },
    '& p': { margin: 0, padding: '0 16px 16px', color: palette.text.secondary },
  };
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

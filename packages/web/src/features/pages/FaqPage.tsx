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
    'What is a data source?',
    'Whatever sends events or is spoken of in them: servers, workstations, network devices, productivity suites, cloud platforms and cloud applications.',
  ],
  [
    'What are tags for?',
    'Tags mark data sources that belong together, such as a site or a critical system. Select data sources in the list, press Tag, and filter by the tag afterwards.',
  ],
  ['Which time zone do I see?', 'Your browser’s. Rest the pointer on a time to see it in full.'],
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

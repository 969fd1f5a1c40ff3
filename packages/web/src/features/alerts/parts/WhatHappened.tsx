/** Summary of an alert: event text, description of the rule, further rules that matched, known false positives. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { Decoded } from '../../../lib/Decoded.tsx';
import { encodedText } from '../keyFacts.ts';

export function WhatHappened({ alert }: { alert: AlertDetail }) {
  return (
    <Section title="What happened">
      <Typography
        component="p"
        sx={{ fontSize: 14, lineHeight: '22px', fontWeight: 500, whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
      >
        <VisibleText text={alert.alertSummary} keepLines />
      </Typography>
      <Decoded text={encodedText(alert.events[0]?.document ?? {}) ?? alert.alertSummary} />
      {alert.description && (
        <Typography
          sx={{
            mt: 1,
            fontSize: 14,
            lineHeight: '22px',
            color: 'text.secondary',
            whiteSpace: 'pre-line',
            overflowWrap: 'anywhere',
            maxWidth: '76ch',
          }}
        >
          <VisibleText text={alert.description} keepLines />
        </Typography>
      )}
      <TextList title="Also matched" texts={alert.alsoMatched.map(({ rule, criticality }) => `${rule} (${criticality})`)} />
      <TextList title="Known false positives" texts={alert.falsePositives} />
    </Section>
  );
}

function TextList({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <Box sx={{ mt: 2 }}>
      <Typography component="h3" sx={{ fontSize: 12, fontWeight: 600, color: 'text.secondary' }}>
        {title}
      </Typography>
      <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.25, fontSize: 13, lineHeight: '20px', maxWidth: '76ch' }}>
        {texts.map((text) => (
          <li key={text}>
            <VisibleText text={text} />
          </li>
        ))}
      </Box>
    </Box>
  );
}

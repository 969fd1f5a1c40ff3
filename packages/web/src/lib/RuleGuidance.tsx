/** Guidance of a rule: why a match matters, and the first steps of its analysis. Texts of rules are untrusted. */
import { styled } from '@mui/material/styles';
import type { RuleGuidance as Guidance } from '@parapet/contract/alerts.ts';
import { palette } from '../kit/palette.ts';
import { VisibleText } from '../kit/VisibleText.tsx';

const Texts = styled('div')({
  fontSize: 13,
  lineHeight: '20px',
  maxWidth: '76ch',
  overflowWrap: 'anywhere',
  '& p': { margin: 0 },
  '& h3, & h4': { margin: '8px 0 0', fontSize: 12, lineHeight: '20px', fontWeight: 600, color: palette.text.secondary },
  '& h3:first-of-type, & h4:first-of-type': { marginTop: 0 },
  '& ol': { margin: '2px 0 0', paddingLeft: 22 },
  '& li::marker': { color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
});

export function RuleGuidance({ guidance, heading: Heading = 'h3' }: { guidance: Guidance; heading?: 'h3' | 'h4' }) {
  const { whyItMatters, checkFirst } = guidance;
  return (
    <Texts>
      {whyItMatters && (
        <>
          <Heading>Why it matters</Heading>
          <p>
            <VisibleText text={whyItMatters} />
          </p>
        </>
      )}
      {checkFirst.length > 0 && (
        <>
          <Heading>Check first</Heading>
          <ol>
            {checkFirst.map((step) => (
              <li key={step}>
                <VisibleText text={step} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Texts>
  );
}

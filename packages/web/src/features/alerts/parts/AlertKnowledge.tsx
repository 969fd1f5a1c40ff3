/** References of an alert: ATT&CK techniques, mitigating controls, and links of the rule's author. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { type ReactNode, useState } from 'react';
import { Hidden } from '../../../kit/Announced.tsx';
import { OpenInNewRounded } from '../../../kit/icons/OpenInNewRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';

const controlsShown = 6;

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  lineHeight: '20px',
  '& > li': { padding: '5px 0', minWidth: 0, overflowWrap: 'anywhere' },
  '& > li:first-of-type': { paddingTop: 0 },
  '& > li:last-of-type': { paddingBottom: 0 },
  '& .quiet': { color: palette.text.secondary, fontSize: 12 },
});
const ExternalAnchor = styled('a')({
  color: palette.primary.main,
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
  '& svg': { fontSize: 13, marginLeft: 3, verticalAlign: '-2px' },
});
const Rows = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'max-content minmax(0, 1fr)',
  gap: '4px 12px',
  fontSize: 13,
  lineHeight: '20px',
});

/** External link: http(s) only, in a new tab, without a referrer. Anything else renders as plain text. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  if (!isWeb(href)) return children;
  return (
    <ExternalAnchor href={href} target="_blank" rel="noreferrer noopener">
      {children}
      <OpenInNewRounded aria-hidden />
      <Hidden> (opens in a new tab)</Hidden>
    </ExternalAnchor>
  );
}

export function isWeb(text: string): boolean {
  try {
    const { protocol } = new URL(text);
    return protocol === 'https:' || protocol === 'http:';
  } catch {
    return false;
  }
}

export function AlertKnowledge({ alert }: { alert: AlertDetail }) {
  const [isLong, setIsLong] = useState(false);
  const controls = isLong ? alert.controls : alert.controls.slice(0, controlsShown);
  return (
    <>
      {alert.techniques.length > 0 && (
        <Section title="ATT&CK">
          <List>
            {alert.techniques.map((technique) => (
              <li key={technique.id}>
                <ExternalLink href={technique.url}>
                  <MonoText>{technique.id}</MonoText> {technique.name}
                </ExternalLink>
                <div className="quiet">{technique.tactics.join(', ')}</div>
              </li>
            ))}
          </List>
        </Section>
      )}
      {alert.controls.length > 0 && (
        <Section title="NIST SP 800-53" note="Controls that mitigate these techniques">
          <Rows>
            {controls.map((control) => [
              <MonoText key={control.id}>{control.id}</MonoText>,
              <span key={`${control.id}name`}>{control.name}</span>,
            ])}
          </Rows>
          {alert.controls.length > controlsShown && (
            <Button size="small" aria-expanded={isLong} onClick={() => setIsLong(!isLong)} sx={{ mt: 0.5, ml: -1, fontSize: 12 }}>
              {isLong ? 'Show less' : `Show ${exact(alert.controls.length - controlsShown)} more`}
            </Button>
          )}
        </Section>
      )}
      {alert.references.length > 0 && (
        <Section title="References">
          <List>
            {alert.references.map((reference) => (
              <li key={reference}>
                <ExternalLink href={reference}>
                  <VisibleText text={reference.replace(/^https?:\/\//, '').replace(/\/$/, '')} />
                </ExternalLink>
              </li>
            ))}
          </List>
        </Section>
      )}
    </>
  );
}

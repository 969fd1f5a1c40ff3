/** Guidance of the most severe rules of a case. */
import { styled } from '@mui/material/styles';
import type { CaseGuidance as Guidance } from '@parapet/contract/caseDetail.ts';
import { palette } from '../../../kit/palette.ts';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { RuleGuidance } from '../../../lib/RuleGuidance.tsx';

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': { padding: '12px 0', borderTop: `1px solid ${palette.divider}` },
  '& > li:first-of-type': { paddingTop: 0, borderTop: 0 },
  '& > li:last-of-type': { paddingBottom: 0 },
  '& h3': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '2px 12px',
    margin: '0 0 4px',
    fontSize: 14,
    lineHeight: '22px',
    fontWeight: 600,
    overflowWrap: 'anywhere',
  },
});

export function CaseGuidance({ guidance }: { guidance: readonly Guidance[] }) {
  return (
    <List>
      {guidance.map((each) => (
        <li key={each.alertID}>
          <h3>
            <SeverityLabel severity={each.severity} />
            <AppLink href={paths.alert(each.alertID)}>
              <VisibleText text={each.rule} />
            </AppLink>
          </h3>
          <RuleGuidance guidance={each} heading="h4" />
        </li>
      ))}
    </List>
  );
}

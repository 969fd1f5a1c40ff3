/** Attack steps of a case in lanes by tactic, in order of each tactic’s first step. */
import { styled } from '@mui/material/styles';
import type { AttackStep, Story } from '@parapet/contract/caseDetail.ts';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';

const Lanes = styled('ol')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': {
    display: 'grid',
    gridTemplateColumns: '148px minmax(0, 1fr)',
    gap: '4px 16px',
    padding: '10px 0',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& > li:last-of-type': { paddingBottom: 0 },
  '& h3': { margin: 0, fontSize: 13, lineHeight: '20px', fontWeight: 600 },
  '& ol': { display: 'grid', gap: 8, margin: 0, padding: 0, listStyle: 'none', minWidth: 0 },
  '& ol > li': { display: 'grid', gridTemplateColumns: '16px minmax(0, 1fr)', gap: '0 8px', alignItems: 'start' },
  '& ol > li > svg': { marginTop: 3 },
  '& a': { color: palette.text.primary, textUnderlineOffset: 3, overflowWrap: 'anywhere' },
  '& .where': { fontSize: 12, lineHeight: '18px', color: palette.text.secondary, overflowWrap: 'anywhere' },
  '@media (max-width: 699.95px)': { '& > li': { gridTemplateColumns: 'minmax(0, 1fr)' } },
});

const others = (name: string | null, total: number) => name && (total > 1 ? `${name} and ${total - 1} more` : name);

export function TacticLanes({ story, timeZone }: { story: Story; timeZone: string }) {
  const lanes = Map.groupBy(story.steps, ({ tactic }) => tactic || 'No tactic');
  return (
    <Lanes aria-label="Attack steps by tactic">
      {[...lanes].map(([tactic, steps]) => (
        <li key={tactic}>
          <h3>{tactic}</h3>
          <ol>
            {steps.map((step) => (
              <li key={step.alertID}>
                <SeverityIcon severity={step.severity} label={severityLabel[step.severity]} />
                <div>
                  <AppLink href={paths.alert(step.alertID)}>
                    <VisibleText text={step.rule} />
                  </AppLink>
                  <div className="where">
                    <VisibleText text={whereText(step, timeZone)} />
                  </div>
                </div>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </Lanes>
  );
}

const whereText = (step: AttackStep, timeZone: string): string =>
  [
    absoluteTime(Date.parse(step.firstTime), timeZone),
    others(step.deviceName, step.devices),
    others(step.userName, step.users),
    step.count > 1 && counted(step.count, 'match', 'matches'),
  ]
    .filter(Boolean)
    .join(' · ');

/** Changes with the largest effect on the score. Practices can be tried in place; other changes link to their page. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { Practice } from '@parapet/contract/risk.ts';
import type { Improvement, RiskStatus } from '@parapet/contract/rules/risk.ts';
import { counted, exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { palette } from '../../../kit/palette.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { Inside, Quiet } from './risk.styles.tsx';

const shown = 6;
const List = styled('ol')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& li': {
    display: 'flex',
    alignItems: 'center',
    gap: 12,
    padding: '6px 0',
    borderBottom: `1px solid ${palette.divider}`,
    fontSize: 14,
  },
  '& span': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& em': { fontStyle: 'normal', fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
  '& a': { color: palette.primary.main },
});

export const statusHrefs: Record<RiskStatus, string[]> = {
  open: ['open'],
  assigned: ['assigned'],
  // Escalated cases are still under investigation.
  investigating: ['investigating', 'escalated'],
  malicious: ['malicious'],
};
export const notReporting = ['stale', 'silent', 'never'];

interface Props {
  client: number;
  improvements: readonly Improvement[];
  practices: readonly Practice[];
  onTry?: ((id: string) => void) | undefined;
}

export function Improvements({ client, improvements, practices, onTry }: Props) {
  const text = ({ change }: Improvement) => {
    if (change.kind === 'practice') return practices.find(({ id }) => id === change.id)?.name ?? change.id;
    if (change.kind === 'cases')
      return (
        <AppLink href={paths.cases(client, { status: statusHrefs[change.status], timeframe: 'allTime' })}>
          Resolve the {change.status} cases
        </AppLink>
      );
    return (
      <AppLink href={paths.devices(client, { type: change.kind, state: notReporting })}>
        Connect {change.count === 1 ? 'the' : 'all'} {counted(change.count, change.kind)} that{' '}
        {change.count === 1 ? 'does' : 'do'} not report
      </AppLink>
    );
  };
  return (
    <Panel title="Top improvements">
      <Inside>
        {improvements.length === 0 ? (
          <Quiet>No improvements left: all devices report, all practices are done and no cases are open.</Quiet>
        ) : (
          <List>
            {improvements.slice(0, shown).map((improvement) => (
              <li key={JSON.stringify(improvement.change)}>
                <span>{text(improvement)}</span>
                {improvement.change.kind === 'practice' && onTry && (
                  <Button
                    size="small"
                    aria-label={`Try ${text(improvement)}`}
                    onClick={() => improvement.change.kind === 'practice' && onTry(improvement.change.id)}
                  >
                    Try
                  </Button>
                )}
                <em title={`The score would be ${exact(improvement.tempScore)}`}>−{exact(improvement.drop)}</em>
              </li>
            ))}
          </List>
        )}
        {improvements.length > shown && (
          <Quiet>
            {exact(improvements.length - shown)} more, each at most −{exact(improvements[shown]!.drop)}.
          </Quiet>
        )}
      </Inside>
    </Panel>
  );
}

/** Columns and card of the list of rules. */
import type { RuleRow } from '@parapet/contract/detectionRules.ts';
import { CardTitle } from '../../../kit/CardTitle.tsx';
import { Count } from '../../../kit/Count.tsx';
import { SecondaryText } from '../../../kit/cells.tsx';
import { counted } from '../../../kit/numbers.ts';
import { SeverityChip, SeverityLabel } from '../../../kit/Severity.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { basisOf, minutesText } from '../../../lib/analystTime.ts';
import { paths } from '../../../lib/paths.ts';
import { TitleLink } from '../../../lib/TitleLink.tsx';
import { originLabel, shownState } from '../rules.ts';
import { RuleStateMark } from './RuleStateMark.tsx';

const percent = ({ maliciousPercent }: RuleRow) => (maliciousPercent === null ? '' : `${maliciousPercent}%`);
const sources = ({ logSource }: RuleRow) => logSource || 'Any';

export const ruleColumns: readonly Column<RuleRow>[] = [
  {
    id: 'severity',
    header: 'Severity',
    width: 120,
    sort: 'severity',
    cell: (rule) => <SeverityLabel severity={rule.criticality} />,
  },
  {
    id: 'title',
    header: 'Rule',
    flex: 3,
    width: 360,
    sort: 'title',
    isFixed: true,
    cell: (rule) => (
      <TitleLink href={paths.rule(rule.ruleID)} style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
        <VisibleText text={rule.title} />
      </TitleLink>
    ),
  },
  {
    id: 'source',
    header: 'Source',
    flex: 1,
    width: 150,
    hidePriority: 7,
    cell: (rule) => (
      <SecondaryText>
        <VisibleText text={sources(rule)} />
      </SecondaryText>
    ),
  },
  { id: 'technique', header: 'Technique', width: 110, hidePriority: 4, cell: (rule) => rule.techniques[0] ?? '' },
  {
    id: 'alerts',
    header: 'Alerts, 30 d',
    width: 130,
    align: 'right',
    sort: 'alerts',
    cell: (rule) => <Count value={rule.alerts} />,
  },
  {
    id: 'malicious',
    header: 'Malicious',
    width: 100,
    align: 'right',
    sort: 'malicious',
    hidePriority: 1,
    cell: percent,
  },
  {
    id: 'analystTime',
    header: 'Analyst time, 30 d',
    width: 140,
    align: 'right',
    hidePriority: 3,
    cell: ({ analystTime, alerts }) =>
      analystTime && (
        <span title={`${counted(alerts, 'alert')}, ${basisOf(analystTime)}`}>{minutesText(analystTime.minutes)}</span>
      ),
  },
  {
    id: 'lastFired',
    header: 'Last fired',
    width: 110,
    sort: 'lastFired',
    hidePriority: 2,
    cell: (rule) => rule.lastFired ?? 'Never',
  },
  { id: 'state', header: 'State', width: 110, sort: 'state', cell: (rule) => <RuleStateMark state={shownState(rule)} /> },
  {
    id: 'exceptions',
    header: 'Exceptions',
    width: 100,
    align: 'right',
    hidePriority: 5,
    cell: (rule) => (rule.exceptions === 0 ? '' : <Count value={rule.exceptions} />),
  },
  { id: 'origin', header: 'Origin', width: 90, hidePriority: 6, cell: (rule) => originLabel[rule.origin] },
  { id: 'pack', header: 'Pack', width: 140, isHidden: true, cell: (rule) => <VisibleText text={rule.pack ?? ''} /> },
  { id: 'author', header: 'Author', width: 140, isHidden: true, cell: (rule) => <VisibleText text={rule.author} /> },
];

export function RuleCard({ rule, onOpen }: { rule: RuleRow; onOpen: () => void }) {
  return (
    <div style={{ display: 'grid', gap: 4, minWidth: 0 }}>
      <CardTitle onPreview={onOpen}>
        <VisibleText text={rule.title} />
      </CardTitle>
      <SecondaryText>
        <VisibleText text={sources(rule)} />
      </SecondaryText>
      <span style={{ display: 'flex', flexWrap: 'wrap', gap: 12 }}>
        <SeverityChip severity={rule.criticality} />
        <RuleStateMark state={shownState(rule)} />
        <span>
          <Count value={rule.alerts} /> alerts, 30 days
        </span>
      </span>
    </div>
  );
}

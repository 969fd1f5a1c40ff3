/** The rules that raised most alerts, as bars with their numbers; each leads to its alerts. */
import { styled } from '@mui/material/styles';
import { Count } from '../../../kit/Count.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';

const List = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    listStyle: 'none',
    margin: 0,
    padding: '0 8px 8px',
    '& a': {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr) auto',
      gap: '2px 12px',
      padding: '5px 8px',
      borderRadius: 6,
      fontSize: 13,
      lineHeight: '18px',
      color: 'inherit',
      textDecoration: 'none',
    },
    '& a:hover': { backgroundColor: palette.action.hover },
    '& .rule': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    '& i': { gridColumn: '1 / -1', display: 'block', height: 4, borderRadius: 2, backgroundColor: palette.action.selected },
    '& i > b': { display: 'block', height: '100%', minWidth: 2, borderRadius: 2, backgroundColor: palette.text.secondary },
  };
});

interface Rule {
  ruleID: string;
  rule: string;
  count: number;
}

export function RuleBars({ rules, hrefOf }: { rules: readonly Rule[]; hrefOf: (rule: Rule) => string }) {
  const most = Math.max(1, ...rules.map((rule) => rule.count));
  return (
    <List>
      {rules.map((rule) => (
        <li key={rule.ruleID}>
          <AppLink href={hrefOf(rule)} title={rule.rule}>
            <span className="rule">
              <VisibleText text={rule.rule} />
            </span>
            <Count value={rule.count} />
            <i aria-hidden>
              <b style={{ width: `${(100 * rule.count) / most}%` }} />
            </i>
          </AppLink>
        </li>
      ))}
    </List>
  );
}

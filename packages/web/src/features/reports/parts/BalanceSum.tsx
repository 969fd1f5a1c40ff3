/** Both sums of the balance sheet, written out; each number leads to what stands behind it. */
import { styled } from '@mui/material/styles';
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { Fragment } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { exact } from '../../../kit/numbers.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { reasonLabel } from '../../../lib/intake.ts';
import { useScope } from '../../../lib/scope.ts';
import { droppedOf, type Sums } from '../balance.ts';
import { amountOf, type Part, parts } from '../balanceParts.ts';
import { doorNotes, reconciliationHref } from '../reconciliationHrefs.ts';

const Lines = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    display: 'grid',
    gap: 14,
    '& .sum': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '8px 12px', fontVariantNumeric: 'tabular-nums' },
    '& .sum > span': { display: 'inline-grid' },
    '& .sum b': { fontSize: 20, lineHeight: '26px', fontWeight: 650 },
    '& .sum i': { fontStyle: 'normal', fontSize: 20, color: palette.text.secondary },
    '& .sum small': { fontSize: 12, color: palette.text.secondary },
    '& a': { color: 'inherit', textDecorationColor: palette.divider, textUnderlineOffset: 4 },
    '& p': { margin: 0, fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
  };
});

interface Props {
  sums: Sums;
  client: number;
  timeframe: Month;
  /** The first and the last day. */
  date: string;
}

export function BalanceSum({ sums, client, timeframe, date }: Props) {
  const { may } = useScope();
  const number = (part: Part) => {
    const value = amountOf(sums, part.id);
    const door = value === 0 ? undefined : reconciliationHref(part.id, { client, timeframe, date }, may);
    return (
      <span>
        <small>{part.name}</small>
        <b>
          {door ? (
            <AppLink href={door} title={doorNotes[part.id]}>
              {exact(value)}
            </AppLink>
          ) : (
            exact(value)
          )}
        </b>
      </span>
    );
  };
  const sum = ([whole, ...rest]: readonly Part[]) => (
    <div className="sum">
      {whole && number(whole)}
      {rest.map((part, at) => (
        <Fragment key={part.id}>
          <i aria-label={at === 0 ? 'equals' : 'plus'} role="img">
            {at === 0 ? '=' : '+'}
          </i>
          {number(part)}
        </Fragment>
      ))}
    </div>
  );
  return (
    <Card title="The sums" purpose="Days are those of UTC: events by when they arrived, alerts by when they happened.">
      <Lines>
        {sum(parts.events)}
        {droppedOf(sums) > 0 && (
          <p>
            Dropped:{' '}
            {sums.dropped.map(({ reason, count }, at) => (
              <Fragment key={reason}>
                {at > 0 && ', '}
                {exact(count)} <VisibleText text={reasonLabel(reason).toLowerCase()} />
              </Fragment>
            ))}
            .
          </p>
        )}
        {sum(parts.alerts)}
      </Lines>
    </Card>
  );
}

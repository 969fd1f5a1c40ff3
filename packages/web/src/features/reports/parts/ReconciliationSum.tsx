/** Event and alert sums of the reconciliation; each number links to its rows. */
import { styled } from '@mui/material/styles';
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { Fragment } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { reasonLabel } from '../../../lib/intake.ts';
import { useScope } from '../../../lib/scope.ts';
import { droppedOf, type Sums } from '../balance.ts';
import { linkNotes, reconciliationHref } from '../reconciliationHrefs.ts';
import { amountOf, type Part, parts } from '../reconciliationParts.ts';

const Lines = styled('div')({
  display: 'grid',
  gap: 14,
  '& .sum': { display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', gap: '8px 12px', fontVariantNumeric: 'tabular-nums' },
  '& .sum > span': { display: 'inline-grid' },
  '& .sum b': { fontSize: 20, lineHeight: '26px', fontWeight: 650 },
  '& .sum i': { fontStyle: 'normal', fontSize: 20, color: palette.text.secondary },
  '& .sum small': { fontSize: 12, color: palette.text.secondary },
  '& a': { color: 'inherit', textDecorationColor: palette.divider, textUnderlineOffset: 4 },
  '& p': { margin: 0, fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
});

interface Props {
  sums: Sums;
  client: number;
  timeframe: Month;
  /** First and last day: "2026-10-01..2026-10-31". */
  date: string;
}

export function ReconciliationSum({ sums, client, timeframe, date }: Props) {
  const { may } = useScope();
  const number = (part: Part) => {
    const value = amountOf(sums, part.id);
    const href = value === 0 ? undefined : reconciliationHref(part.id, { client, timeframe, date }, may);
    return (
      <span>
        <small>{part.name}</small>
        <b>
          {href ? (
            <AppLink href={href} title={linkNotes[part.id]}>
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
    <Card title="Totals" purpose="Days are in UTC: events by arrival time, alerts by event time.">
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

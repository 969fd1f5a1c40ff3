/** A client's month: the count, each correction beside it, and the sum that is billed. */
import Button from '@mui/material/Button';
import type { BillingRow } from '@parapet/contract/billing.ts';
import { billedCounts, billingMeasures, correctionCounts } from '@parapet/contract/rules/billing.ts';
import { useState } from 'react';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { CorrectionDialog } from './CorrectionDialog.tsx';
import { Actions, Reason, regionOf, SmallTable, TableBox } from './styles.ts';

export const figure = (value: number | null): string => (value === null ? '–' : exact(value));
export const signed = (value: number): string => (value > 0 ? `+${exact(value)}` : `−${exact(-value)}`);

const change = (value: number | null): string => (value === null ? '' : signed(value));
const nameOf = ({ length }: readonly unknown[], place: number): string =>
  length === 1 ? 'Correction' : `Correction ${place + 1}`;

export function ClientLines({ row }: { row: BillingRow }) {
  const { timeZone } = useScope();
  const [isCorrecting, setCorrecting] = useState(false);
  const { counts, corrections, closedAt, countedAt, level } = row;
  const billed = billedCounts(counts, corrections);
  return (
    <Section title={closedAt ? 'Closed month' : 'Open month'} note={`Service level: ${level}`}>
      <TableBox {...regionOf('Lines of the month')}>
        <SmallTable aria-label="Lines of the month">
          <thead>
            <tr>
              <th scope="col">Measure</th>
              <th scope="col" className="figure">
                Count
              </th>
              {corrections.map(({ id }, place) => (
                <th key={id} scope="col" className="figure">
                  {nameOf(corrections, place)}
                </th>
              ))}
              {corrections.length > 0 && (
                <th scope="col" className="figure">
                  Billed
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {billingMeasures.map(({ value: measure, label }) => (
              <tr key={measure}>
                <th scope="row">{label}</th>
                <td className="figure">{figure(counts[measure])}</td>
                {corrections.map((line) => (
                  <td key={line.id} className="figure">
                    {change(correctionCounts(line)[measure])}
                  </td>
                ))}
                {corrections.length > 0 && <td className="figure total">{figure(billed[measure])}</td>}
              </tr>
            ))}
          </tbody>
        </SmallTable>
      </TableBox>
      {corrections.map(({ id, by, reason }, place) => (
        <Reason key={id}>
          {nameOf(corrections, place)} by <VisibleText text={by} />: <VisibleText text={reason} />
        </Reason>
      ))}
      <Actions>
        {closedAt ? (
          <Button size="small" variant="outlined" onClick={() => setCorrecting(true)}>
            Add correction
          </Button>
        ) : (
          <span className="hint">Counts change until two days after the end of the month.</span>
        )}
        <span className="hint">
          {closedAt ? 'Closed' : 'Counted'} <RelativeTime at={closedAt ?? countedAt} timeZone={timeZone} />
        </span>
      </Actions>
      {isCorrecting && <CorrectionDialog row={row} onClose={() => setCorrecting(false)} />}
    </Section>
  );
}

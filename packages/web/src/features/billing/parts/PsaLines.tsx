/** Lines of a PSA with their difference, and the confirmation that writes chosen ones. */
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import type { BillingLine } from '@parapet/contract/billing.ts';
import { type BillingMeasure, measureLabel } from '@parapet/contract/rules/billing.ts';
import { deliveryStates } from '@parapet/contract/rules/deliveries.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { type BillingTarget, type Comparison, useConfirmQuantities } from '../billing.queries.ts';
import { monthLabel } from '../months.ts';
import { figure, signed } from './ClientLines.tsx';
import { Actions, regionOf, SmallTable, TableBox } from './styles.ts';

interface Props {
  client: number;
  month: string;
  target: BillingTarget;
  comparison: Comparison;
}

const waiting = ['queued', 'sent', 'failed'];
const differenceOf = ({ counted, current }: BillingLine): number | null =>
  counted === null || current === null ? null : counted - current;
const mayWrite = (line: BillingLine): boolean =>
  (differenceOf(line) ?? 0) !== 0 && !(line.newest && waiting.includes(line.newest.state));

export function PsaLines({ client, month, target, comparison }: Props) {
  const confirm = useConfirmQuantities();
  const [left, setLeft] = useState<readonly BillingMeasure[]>([]);
  /** Lines as the dialog shows them: a comparison that arrives while it is open changes nothing in it. */
  const [pending, setPending] = useState<readonly BillingLine[]>([]);
  const [isAsking, setAsking] = useState(false);
  const lines = comparison.lines.filter(({ itemId }) => itemId !== '');
  const chosen = lines.filter((line) => mayWrite(line) && !left.includes(line.measure));
  const toggle = (measure: BillingMeasure) =>
    setLeft((now) => (now.includes(measure) ? now.filter((each) => each !== measure) : [...now, measure]));
  const confirmChosen = () => {
    setPending(chosen);
    setAsking(true);
  };
  const write = () =>
    confirm
      .mutateAsync({
        params: { client, target: target.id },
        body: {
          month,
          lines: pending.map(({ measure, agreementId, itemId, current, counted, newest }) => ({
            measure,
            agreementId,
            itemId,
            current: current ?? 0,
            quantity: counted ?? 0,
            newestId: newest?.id ?? 0,
          })),
        },
      })
      .catch(() => {})
      .finally(() => setAsking(false));
  if (lines.length === 0) return <p>No measure has an item yet. Choose the items of the agreement that are billed by a count.</p>;
  return (
    <>
      <TableBox {...regionOf(`Counts at ${target.title}`)}>
        <SmallTable aria-label={`Counts at ${target.title}`}>
          <thead>
            <tr>
              <th scope="col">Write</th>
              <th scope="col">Measure</th>
              <th scope="col" className="figure">
                Counted
              </th>
              <th scope="col" className="figure">
                At the PSA
              </th>
              <th scope="col" className="figure">
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <LineRow key={line.measure} line={line} isChosen={chosen.includes(line)} onToggle={() => toggle(line.measure)} />
            ))}
          </tbody>
        </SmallTable>
      </TableBox>
      {chosen.length > 0 && (
        <Actions>
          <Button variant="contained" size="small" onClick={confirmChosen}>
            Write {chosen.length === 1 ? '1 quantity' : `${chosen.length} quantities`} to {target.title}
          </Button>
        </Actions>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Write to ${target.title}?`}
        onNo={() => setAsking(false)}
        onYes={() => void write()}
        isBusy={confirm.isPending}
      >
        {monthLabel(month)}, company <VisibleText text={target.companyName} />:
        <ul>
          {pending.map(({ measure, label, current, counted }) => (
            <li key={measure}>
              {measureLabel(measure)} from {figure(current)} to {figure(counted)}
              <br />
              <VisibleText text={label} />
            </li>
          ))}
        </ul>
      </ConfirmDialog>
    </>
  );
}

function LineRow({ line, isChosen, onToggle }: { line: BillingLine; isChosen: boolean; onToggle: () => void }) {
  const { measure, label, counted, current, isGone } = line;
  const difference = differenceOf(line);
  return (
    <tr>
      <td>
        <Checkbox
          size="small"
          sx={{ p: 0 }}
          checked={isChosen}
          disabled={!mayWrite(line)}
          onChange={onToggle}
          slotProps={{ input: { 'aria-label': `Write ${measureLabel(measure)}` } }}
        />
      </td>
      <th scope="row">
        {measureLabel(measure)}
        <div className="reason">
          <VisibleText text={label} />
        </div>
        <Newest line={line} />
        {isGone && <div className="reason">Ended or removed at the PSA. Choose another item.</div>}
      </th>
      <td className="figure">{figure(counted)}</td>
      <td className="figure">{figure(current)}</td>
      <td className="figure">{difference === null ? '–' : difference === 0 ? 'None' : signed(difference)}</td>
    </tr>
  );
}

function Newest({ line: { newest } }: { line: BillingLine }) {
  const { timeZone } = useScope();
  if (!newest) return null;
  const { quantity, by, at, state, words } = newest;
  return (
    <>
      <div className="reason">
        {figure(quantity)}: {deliveryStates.find(({ value }) => value === state)?.label}. Confirmed by <VisibleText text={by} />,{' '}
        <RelativeTime at={at} timeZone={timeZone} />
      </div>
      {words !== null && (
        <div className="reason">
          <VisibleText text={words} />
        </div>
      )}
    </>
  );
}

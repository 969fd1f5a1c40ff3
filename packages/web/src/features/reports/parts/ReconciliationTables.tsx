/** Rows of the reconciliation by day or, for all clients, by client. */
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { exact } from '../../../kit/numbers.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { reasonLabel } from '../../../lib/intake.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import type { Group } from '../balance.ts';
import { linkNotes, reconciliationHref } from '../reconciliationHrefs.ts';
import { amountOf, type Part, parts } from '../reconciliationParts.ts';

interface Props {
  groups: readonly Group[];
  client: number;
  timeframe: Month;
  /** First and last day: "2026-10-01..2026-10-31". */
  date: string;
  nameOf: (group: Group) => string;
  isByDay: boolean;
}

export function ReconciliationTables({ groups, client, timeframe, date, nameOf, isByDay }: Props) {
  const { may } = useScope();
  const table = (title: string, columns: readonly Part[]) => (
    <Listing
      isWide
      title={`Reconciliation of ${title.toLowerCase()} by ${isByDay ? 'day' : 'client'}`}
      heads={[
        isByDay ? 'Day' : 'Client',
        ...columns.map(({ name }) => ({ title: name, isNumber: true as const })),
        { title: 'Balanced', isNumber: true },
      ]}
      rows={groups.map((group) => {
        const name = nameOf(group);
        const where = isByDay
          ? { client, timeframe, date: group.key }
          : { client: group.first.clientOrganizationID, timeframe, date };
        return {
          key: group.key,
          text: name,
          cells: [
            isByDay ? (
              name
            ) : (
              <AppLink key="name" href={paths.reporting({ client: where.client, timeframe, tab: 'balance' })}>
                <VisibleText text={name} />
              </AppLink>
            ),
            ...columns.map(({ id }) => {
              const value = amountOf(group.sums, id);
              const href = value === 0 ? undefined : reconciliationHref(id, where, may);
              if (!href) return exact(value);
              const reasons = group.sums.dropped.map(({ reason, count }) => `${reasonLabel(reason)}: ${exact(count)}`);
              return (
                <AppLink key={id} href={href} title={id === 'dropped' ? reasons.join('\n') : linkNotes[id]}>
                  {exact(value)}
                </AppLink>
              );
            }),
            group.sums.isBalanced ? 'Yes' : 'No',
          ],
        };
      })}
      empty="No events received."
    />
  );
  return (
    <>
      {table('Events', parts.events)}
      {table('Alerts', parts.alerts)}
    </>
  );
}

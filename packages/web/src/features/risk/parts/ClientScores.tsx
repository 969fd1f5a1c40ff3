/** Clients by risk score, worst first, each linked to its risk page. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { riskApi } from '@parapet/contract/risk.ts';
import { useQuery } from '@tanstack/react-query';
import { exact } from '../../../kit/numbers.ts';
import { TimeOrNever } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { ClientTable, figureColumn } from '../../../lib/ClientTable.tsx';
import { paths } from '../../../lib/paths.ts';
import { clientScoresQuery } from '../risk.queries.ts';

type Row = AnswerOf<typeof riskApi.clients>['results'][number];
const shown = (score: number | null): string => (score === null ? '–' : exact(score));

const columnsIn = (timeZone: string): Column<Row>[] => [
  figureColumn('now', 'Score now', (row) => exact(row.tempScore)),
  figureColumn('daily', 'Last daily score', (row) => shown(row.riskScore), 2),
  figureColumn('devices', 'Devices', (row) => shown(row.deviceScore), 3),
  figureColumn('practices', 'Best practices', (row) => shown(row.practiceScore), 4),
  figureColumn('cases', 'Cases', (row) => shown(row.caseScore), 5),
  {
    id: 'changed',
    header: 'Edited',
    width: 120,
    hidePriority: 6,
    cell: (row) => <TimeOrNever at={row.changedAt} timeZone={timeZone} />,
  },
];

export function ClientScores({ timeZone }: { timeZone: string }) {
  return (
    <ClientTable
      id="risk-clients"
      label="Clients by risk score, worst first"
      list={useQuery(clientScoresQuery())}
      address={(row) => paths.riskScore({ client: row.clientOrganizationID })}
      columns={columnsIn(timeZone)}
      summary={(row) => <>Score now {exact(row.tempScore)}</>}
    />
  );
}

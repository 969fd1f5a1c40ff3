/** Isolation of the organisations: the last test, and attempts that returned foreign data. */
import Button from '@mui/material/Button';
import type { IsolationFinding, IsolationProof } from '@parapet/contract/isolation.ts';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Listing } from '../../../kit/Listing.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Panel } from '../../../kit/Panel.tsx';
import { AbsoluteTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { findingsQuery, isolationQuery, useTryIsolation } from '../operations.queries.ts';
import { Body } from './Body.tsx';

const howText: Record<IsolationFinding['how'], string> = {
  answered: 'A foreign organisation or object was accepted',
  content: 'The response contained foreign text',
  changed: 'Figures changed with foreign data',
};

const factsOf = ({ triedAt, attempts, refused, found, failed }: IsolationProof, timeZone: string | undefined) => [
  { name: 'Last tested', value: <TimeOrNever at={triedAt} timeZone={timeZone} /> },
  { name: 'Attempts', value: exact(attempts) },
  { name: 'Refused', value: exact(refused) },
  { name: 'Foreign data returned', value: exact(found) },
  { name: 'Not testable', value: exact(failed) },
];

export function IsolationPanel({ timeZone }: { timeZone: string | undefined }) {
  const proof = useQuery(isolationQuery).data;
  const findings = useQuery(findingsQuery).data;
  const run = useTryIsolation();
  if (!proof || !findings) return null;
  return (
    <>
      <Panel
        title="Isolation of organisations"
        end={
          <Button size="small" loading={run.isPending} disabled={findings.isRunning} onClick={() => run.mutate({})}>
            {findings.isRunning ? 'Isolation test running' : 'Test now'}
          </Button>
        }
      >
        <Body>
          {proof.found > 0 && <Note tone="warning">The last test returned data to other organisations.</Note>}
          <DefinitionList facts={factsOf(proof, timeZone)} />
        </Body>
      </Panel>
      {findings.total > 0 && (
        <Listing
          title="Foreign data returned"
          heads={['Organisation', 'Returned to', 'Call', 'Evidence', 'Time']}
          rows={findings.results.map((row, index) => ({
            key: `${index} ${row.operation}`,
            text: `${row.clientOrganizationName} ${row.actorOrganizationName} ${row.operation}`,
            cells: [
              row.clientOrganizationName,
              row.actorOrganizationName,
              row.operation,
              howText[row.how],
              <AbsoluteTime key="at" at={row.foundAt} timeZone={timeZone} />,
            ],
          }))}
          empty="None."
        />
      )}
    </>
  );
}

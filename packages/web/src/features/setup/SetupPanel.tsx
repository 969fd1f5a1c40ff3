/** The checklist on the dashboard, until every step is done or it is hidden. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { Panel } from '../../kit/Panel.tsx';
import { SetupChecklist } from './SetupChecklist.tsx';
import { setupQuery, useConfirmStep } from './setup.queries.ts';

const Spaced = styled('div')({ marginBottom: 16 });

export function SetupPanel({ isPartner }: { isPartner: boolean }) {
  const { data } = useQuery(setupQuery(allClients));
  const confirm = useConfirmStep();
  if (!data || data.isHidden || data.steps.every(({ isDone }) => isDone)) return null;
  const done = data.steps.filter(({ isDone }) => isDone).length;
  return (
    <Spaced>
      <Panel
        title="Get started"
        end={
          <>
            <span>{`${done} of ${data.steps.length} done`}</span>
            <Button
              size="small"
              onClick={() => confirm.mutate({ params: { client: allClients }, body: { step: 'hidden', isConfirmed: true } })}
            >
              Hide
            </Button>
          </>
        }
      >
        <SetupChecklist client={0} isPartner={isPartner} />
      </Panel>
    </Spaced>
  );
}

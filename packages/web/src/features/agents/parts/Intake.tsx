/** Intake counters since yesterday: accepted events, and drops by reason. */
import type { agentsApi } from '@parapet/contract/agents.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { Card } from '../../../kit/Card.tsx';
import { Count } from '../../../kit/Count.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { reasonLabel } from '../../../lib/intake.ts';
import { intakeOf } from '../intake.ts';

export function Intake({ intake }: { intake: AnswerOf<typeof agentsApi.list>['intake'] }) {
  const { stored, duplicate, dropped } = intakeOf(intake);
  return (
    <Card title="Intake since yesterday" purpose="By UTC days. Shippers receive the reason for dropped events.">
      <DefinitionList
        minWidth={150}
        facts={[
          { name: reasonLabel('stored'), value: <Count value={stored} /> },
          { name: reasonLabel('duplicate'), value: <Count value={duplicate} /> },
          ...(dropped.length === 0 ? [{ name: 'Dropped', value: 'None' }] : []),
          ...dropped.map(({ reason, count }) => ({ name: `Dropped: ${reasonLabel(reason)}`, value: <Count value={count} /> })),
        ]}
      />
    </Card>
  );
}

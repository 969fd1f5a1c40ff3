/** Targets, each with its state, newest failure and actions. */
import { allClients } from '@parapet/contract/access.ts';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useState } from 'react';
import { AddButton } from '../../../kit/AddButton.tsx';
import { SensorsRounded } from '../../../kit/icons/SensorsRounded.tsx';
import { Rows, RowsBar } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { useScope } from '../../../lib/scope.ts';
import { AddTarget } from './AddTarget.tsx';
import { TargetRow } from './TargetRow.tsx';

export function TargetsTab({ targets }: { targets: readonly DeliveryTarget[] }) {
  const { client } = useScope();
  const [isAdding, setAdding] = useState(false);
  const refusal =
    client === allClients
      ? 'Select the organisation that owns the target: a client, or a partner for all of its clients.'
      : undefined;
  const add = (
    <AddButton reason={refusal} onClick={() => setAdding(true)}>
      Add target
    </AddButton>
  );
  return (
    <>
      {targets.length === 0 ? (
        <EmptyState
          icon={<SensorsRounded />}
          title="No targets yet"
          text={`Add a webhook, a chat channel, an incident service or a ticket system, and rules that send events there. ${refusal ?? ''}`}
          actions={add}
        />
      ) : (
        <>
          <RowsBar>
            {add}
            {refusal && <span className="hint">{refusal}</span>}
          </RowsBar>
          <Rows aria-label="Targets">
            {targets.map((target) => (
              <TargetRow key={target.id} target={target} />
            ))}
          </Rows>
        </>
      )}
      {isAdding && <AddTarget client={client} onClose={() => setAdding(false)} />}
    </>
  );
}

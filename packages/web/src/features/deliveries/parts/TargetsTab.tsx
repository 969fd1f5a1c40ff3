/** Targets, each with its state, newest failure and actions. */
import Button from '@mui/material/Button';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useState } from 'react';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { SensorsRounded } from '../../../kit/icons/SensorsRounded.tsx';
import { Rows } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { useScope } from '../../../lib/scope.ts';
import { AddTarget } from './AddTarget.tsx';
import { Bar } from './styles.ts';
import { TargetRow } from './TargetRow.tsx';

export function TargetsTab({ targets }: { targets: readonly DeliveryTarget[] }) {
  const { client } = useScope();
  const [isAdding, setAdding] = useState(false);
  const refusal =
    client === 0 ? 'Select the organisation that owns the target: a client, or a partner for all of its clients.' : undefined;
  const add = (
    <span title={refusal}>
      <Button
        variant="contained"
        size="small"
        startIcon={<AddRounded />}
        disabled={refusal !== undefined}
        onClick={() => setAdding(true)}
      >
        Add target
      </Button>
    </span>
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
          <Bar>
            {add}
            {refusal && <span className="hint">{refusal}</span>}
          </Bar>
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

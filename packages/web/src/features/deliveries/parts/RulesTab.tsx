/** Routing rules: which events go to which target, and when. */
import Button from '@mui/material/Button';
import type { DeliveryRule, DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddButton } from '../../../kit/AddButton.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { RowList } from '../../../kit/RowList.tsx';
import { Row, RowHead, RowsBar } from '../../../kit/rows.styles.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { rulesQuery, useRemoveRule } from '../deliveries.queries.ts';
import { conditionsOf, coverText, eventsText, levelsText } from '../ruleText.ts';
import { RuleDialog } from './RuleDialog.tsx';

export function RulesTab({ targets }: { targets: readonly DeliveryTarget[] }) {
  const { client } = useScope();
  const query = useQuery(rulesQuery(client));
  const [edited, setEdited] = useState<DeliveryRule | 'new'>();
  const [doomed, setDoomed] = useState<DeliveryRule>();
  const remove = useRemoveRule();
  const refusal = targets.length === 0 ? 'Add a target first.' : undefined;
  const add = (
    <AddButton reason={refusal} onClick={() => setEdited('new')}>
      Add rule
    </AddButton>
  );
  const close = () => setDoomed(undefined);
  return (
    <>
      <RowList
        label="Routing rules"
        what="rules"
        query={query}
        rowHeight={64}
        empty={<EmptyState title="No rules yet" text={`Without a rule nothing is sent. ${refusal ?? ''}`} actions={add} />}
        head={<RowsBar>{add}</RowsBar>}
      >
        {(rule) => (
          <RuleRow key={rule.id} rule={rule} targets={targets} onEdit={() => setEdited(rule)} onRemove={() => setDoomed(rule)} />
        )}
      </RowList>
      {edited && (
        <RuleDialog rule={edited === 'new' ? undefined : edited} targets={targets} onClose={() => setEdited(undefined)} />
      )}
      <ConfirmDialog
        isOpen={doomed !== undefined}
        title="Remove this rule?"
        isBusy={remove.isPending}
        onNo={close}
        onYes={() =>
          doomed && remove.mutate({ params: { client: doomed.clientOrganizationID, rule: doomed.id } }, { onSettled: close })
        }
      >
        Its events are no longer sent to <VisibleText text={doomed?.targetName ?? ''} />. Deliveries that wait already are sent.
      </ConfirmDialog>
    </>
  );
}

interface RuleRowProps {
  rule: DeliveryRule;
  targets: readonly DeliveryTarget[];
  onEdit: () => void;
  onRemove: () => void;
}

function RuleRow({ rule, targets, onEdit, onRemove }: RuleRowProps) {
  const { clients } = useScope();
  const conditions = conditionsOf(rule);
  const levels = levelsText(rule, targets);
  const label = `${eventsText(rule.events)} to ${rule.targetName}`;
  return (
    <Row aria-label={label}>
      <div className="fields">
        <RowHead>
          <strong>
            {eventsText(rule.events)} → <VisibleText text={rule.targetName} />
          </strong>
          {!rule.isOn && <span className="about">Off</span>}
        </RowHead>
        <div>
          <VisibleText text={rule.clientName ?? coverText(rule.clientOrganizationID, clients)} />
          {conditions.length > 0 && `: ${conditions.join('; ')}`}
        </div>
        {levels !== '' && (
          <div>
            If not acknowledged: <VisibleText text={levels} />
          </div>
        )}
      </div>
      <span className="buttons">
        <Button size="small" aria-label={`Edit ${label}`} onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" color="error" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </Button>
      </span>
    </Row>
  );
}

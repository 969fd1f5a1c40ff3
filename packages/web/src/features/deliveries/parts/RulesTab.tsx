/** Routing rules: which events go to which target, and when. */
import Button from '@mui/material/Button';
import type { DeliveryRule, DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { rulesQuery, useRemoveRule } from '../deliveries.queries.ts';
import { conditionsOf, coverText, eventsText, levelsText } from '../ruleText.ts';
import { RuleDialog } from './RuleDialog.tsx';
import { Bar, Head } from './styles.ts';

export function RulesTab({ targets }: { targets: readonly DeliveryTarget[] }) {
  const { client } = useScope();
  const { data, error, refetch } = useQuery(rulesQuery(client));
  const [edited, setEdited] = useState<DeliveryRule | 'new'>();
  const [doomed, setDoomed] = useState<DeliveryRule>();
  const remove = useRemoveRule();
  const refusal = targets.length === 0 ? 'Add a target first.' : undefined;
  const add = (
    <span title={refusal}>
      <Button
        variant="contained"
        size="small"
        startIcon={<AddRounded />}
        disabled={refusal !== undefined}
        onClick={() => setEdited('new')}
      >
        Add rule
      </Button>
    </span>
  );
  const rules = data?.results;
  const close = () => setDoomed(undefined);
  return (
    <>
      {!rules ? (
        error ? (
          <FailedState what="rules" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={64} />
        )
      ) : rules.length === 0 ? (
        <EmptyState title="No rules yet" text={`Without a rule nothing is sent. ${refusal ?? ''}`} actions={add} />
      ) : (
        <>
          <Bar>{add}</Bar>
          <Rows aria-label="Routing rules">
            {rules.map((rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                targets={targets}
                onEdit={() => setEdited(rule)}
                onRemove={() => setDoomed(rule)}
              />
            ))}
          </Rows>
        </>
      )}
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
        <Head>
          <strong>
            {eventsText(rule.events)} → <VisibleText text={rule.targetName} />
          </strong>
          {!rule.isOn && <span className="about">Off</span>}
        </Head>
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

/** Levels of escalation of a routing rule: further targets, each unless the case is acknowledged by then. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { maxEscalations } from '@parapet/contract/rules/deliveries.ts';
import { useFieldArray, useWatch } from 'react-hook-form';
import { Fields, SelectInput } from '../../../kit/fields.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { levelChoices, nextLevel, type RuleValues } from '../ruleText.ts';
import { Group } from './styles.ts';

/** @param targets of the rule's owner */
export function EscalationLevels({ targets }: { targets: readonly DeliveryTarget[] }) {
  const { fields, append, remove } = useFieldArray({ name: 'escalations', keyName: 'key' });
  const [levels = [], afterMinutes, first] = useWatch<RuleValues, ['escalations', 'afterMinutes', 'targetId']>({
    name: ['escalations', 'afterMinutes', 'targetId'],
  });
  /** Default of a level: a target besides that of the rule, which would only be reminded. */
  const other = targets.find(({ id }) => id !== first)?.id ?? first;
  const choices = targets.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group>
      <legend>Escalation of new cases and verdicts, unless acknowledged</legend>
      <div className="levels">
        <Rows aria-label="Escalation levels">
          {fields.map(({ key }, index) => (
            <Row key={key} aria-label={`Level ${index + 1}`}>
              <div className="fields">
                <Fields least={180}>
                  <SelectInput
                    name={`escalations.${index}.afterMinutes`}
                    label="Not acknowledged after"
                    choices={levelChoices(levels[index]?.afterMinutes)}
                  />
                  <SelectInput name={`escalations.${index}.targetId`} label="Also send to" choices={choices} />
                </Fields>
              </div>
              <span className="buttons">
                <IconButton size="small" aria-label={`Remove level ${index + 1}`} onClick={() => remove(index)}>
                  <DeleteOutlineRounded fontSize="small" />
                </IconButton>
              </span>
            </Row>
          ))}
        </Rows>
        <Button
          size="small"
          startIcon={<AddRounded />}
          disabled={fields.length >= maxEscalations}
          onClick={() => append(nextLevel(levels, afterMinutes, other))}
        >
          Add level
        </Button>
      </div>
    </Group>
  );
}

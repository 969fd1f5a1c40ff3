/** Input for a grouping parameter, with its bounds and the inherited value. */
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { severityOf } from '@parapet/contract/primitives.ts';
import {
  type GroupingParameter,
  groupingFields,
  groupingTactics,
  tacticsOf,
  tacticsValue,
} from '@parapet/contract/rules/grouping.ts';
import { exact } from '../../../kit/numbers.ts';
import { severityLabel } from '../../../kit/Severity.tsx';
import { fieldHint, tacticLabel, valueText } from '../grouping.ts';

interface Props {
  parameter: GroupingParameter;
  inherited: number;
  /** NaN while the field is empty. */
  value: number;
  onChange: (value: number) => void;
}

export function ParameterInput({ parameter, inherited, value, onChange }: Props) {
  const { unit, field, min, max } = parameter;
  const isOut = !Number.isInteger(value) || value < min || value > max;
  const common = {
    size: 'small' as const,
    label: unit === 'minutes' ? `${groupingFields[field]}, minutes` : groupingFields[field],
    title: fieldHint[field],
    fullWidth: true,
    error: isOut,
    helperText: isOut
      ? `Enter ${exact(min)} to ${exact(max)}.`
      : value !== inherited && `Inherited: ${valueText(parameter, inherited)}`,
    slotProps: { formHelperText: { sx: { mx: 0 } } },
  };
  if (unit === 'minutes' || unit === 'count')
    return (
      <TextField
        {...common}
        type="number"
        value={Number.isNaN(value) ? '' : value}
        onChange={({ target }) => onChange(target.value === '' ? Number.NaN : Number(target.value))}
      />
    );
  if (unit === 'tactics')
    return (
      <TextField
        {...common}
        select
        helperText={isOut ? 'Select at least one.' : common.helperText}
        value={tacticsOf(value)}
        onChange={({ target }) => onChange(tacticsValue(target.value as unknown as (typeof groupingTactics)[number][]))}
        slotProps={{
          ...common.slotProps,
          select: { multiple: true, renderValue: (chosen) => (chosen as string[]).map(tacticLabel).join(', ') },
        }}
      >
        {groupingTactics.map((tactic) => (
          <MenuItem key={tactic} value={tactic}>
            {tacticLabel(tactic)}
          </MenuItem>
        ))}
      </TextField>
    );
  return (
    <TextField {...common} select value={value} onChange={({ target }) => onChange(Number(target.value))}>
      {Array.from({ length: max - min + 1 }, (_, index) => min + index).map((choice) => (
        <MenuItem key={choice} value={choice}>
          {unit === 'switch' ? (choice === 1 ? 'On' : 'Off') : severityLabel[severityOf(choice)]}
        </MenuItem>
      ))}
    </TextField>
  );
}

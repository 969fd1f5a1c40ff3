/** Rules and limits by which alerts are grouped, with an input for each parameter. */
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { GroupingDetail } from '@parapet/contract/caseGrouping.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import {
  type GroupingParameter,
  type GroupingRule,
  groupingFields,
  groupingParameters,
  groupingRules,
  sentenceOf,
} from '@parapet/contract/rules/grouping.ts';
import { severityLabel } from '../../../kit/Severity.tsx';
import { fromLabel, type Values, valueText } from '../grouping.ts';

const RuleRow = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 5fr)',
  gap: '8px 24px',
  padding: '12px 0',
  alignItems: 'center',
  borderTop: `1px solid ${theme.palette.divider}`,
  '&:first-of-type': { borderTop: 0 },
  [theme.breakpoints.down('md')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}));
const Inputs = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(132px, 1fr))',
  gap: '12px 8px',
  alignItems: 'start',
});

interface Props {
  part: GroupingRule['part'];
  detail: GroupingDetail;
  values: Values;
  onChange: (parameter: string, value: number | undefined) => void;
}

export function GroupingTable({ part, detail, values, onChange }: Props) {
  const inherited = new Map(detail.parameters.map((each) => [each.parameter, each]));
  const shownOf = (id: string) => values[id] ?? inherited.get(id)!.inherited;
  return (
    <div>
      {groupingRules
        .filter((rule) => rule.part === part)
        .map((rule) => {
          const own = groupingParameters.filter((parameter) => parameter.rule === rule.id);
          const window = own.find(({ field }) => field === 'windowMinutes');
          const sentence = sentenceOf(rule, window ? shownOf(window.id) : 0);
          return (
            <RuleRow key={rule.id} role="group" aria-label={sentence}>
              <div style={{ opacity: own.some(({ field, id }) => field === 'isOn' && shownOf(id) === 0) ? 0.6 : 1 }}>
                {sentence.charAt(0).toUpperCase() + sentence.slice(1)}
              </div>
              <Inputs>
                {own.map((parameter) => (
                  <ParameterInput
                    key={parameter.id}
                    parameter={parameter}
                    inherited={inherited.get(parameter.id)!}
                    value={values[parameter.id]}
                    onChange={(value) => onChange(parameter.id, value)}
                  />
                ))}
              </Inputs>
            </RuleRow>
          );
        })}
    </div>
  );
}

interface InputProps {
  parameter: GroupingParameter;
  inherited: GroupingDetail['parameters'][number];
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

function ParameterInput({ parameter, inherited, value, onChange }: InputProps) {
  const { unit, min, max } = parameter;
  const shown = value ?? inherited.inherited;
  const isChanged = value !== undefined && value !== inherited.inherited;
  const isOut = !Number.isInteger(shown) || shown < min || shown > max;
  const set = (next: number) => onChange(next === inherited.inherited ? undefined : next);
  const hint = isOut
    ? `${min} to ${max}`
    : isChanged
      ? `Inherited: ${valueText(parameter, inherited.inherited)}`
      : inherited.from === 'builtIn' || inherited.from === 'own'
        ? ' '
        : fromLabel[inherited.from];
  const label = unit === 'minutes' ? `${groupingFields[parameter.field]}, min` : groupingFields[parameter.field];
  const common = {
    size: 'small' as const,
    label,
    fullWidth: true,
    error: isOut,
    helperText: hint,
    focused: isChanged ? true : undefined,
    slotProps: { formHelperText: { sx: { mx: 0 } } },
  };
  if (unit === 'minutes' || unit === 'count')
    return (
      <TextField
        {...common}
        type="number"
        value={Number.isNaN(shown) ? '' : shown}
        onChange={({ target }) => set(target.value === '' ? Number.NaN : Number(target.value))}
      />
    );
  const choices = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  return (
    <TextField {...common} select value={shown} onChange={({ target }) => set(Number(target.value))}>
      {choices.map((choice) => (
        <MenuItem key={choice} value={choice}>
          {unit === 'switch' ? (choice === 1 ? 'On' : 'Off') : severityLabel[severityOf(choice)]}
        </MenuItem>
      ))}
    </TextField>
  );
}

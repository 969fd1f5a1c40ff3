/** Rules and limits by which alerts are grouped: a line for each, its parameters below it when opened. */
import Button from '@mui/material/Button';
import Switch from '@mui/material/Switch';
import { styled } from '@mui/material/styles';
import type { GroupingDetail } from '@parapet/contract/caseGrouping.ts';
import {
  type GroupingParameter,
  type GroupingRule,
  groupingFields,
  groupingParameters,
  groupingRules,
  sentenceOf,
} from '@parapet/contract/rules/grouping.ts';
import { useState } from 'react';
import { palette } from '../../../kit/palette.ts';
import { briefly, capitalised, fromLabel, type Values, valueText } from '../grouping.ts';
import { ParameterInput } from './ParameterInput.tsx';

const RuleRow = styled('div')({
  display: 'grid',
  gridTemplateColumns: '44px minmax(0, 1fr) auto',
  gap: '0 12px',
  padding: '8px 0',
  alignItems: 'center',
  '& + &': { borderTop: `1px solid ${palette.divider}` },
  '& > .text': { gridColumn: '2', minWidth: 0 },
  '&[data-limit] > .text': { gridColumn: '1 / 3' },
  '&[data-off] > .text > :first-of-type': { color: palette.text.secondary },
  '& .brief': { fontSize: 13, color: palette.text.secondary },
  '& .changed': { fontSize: 13, fontWeight: 600 },
  '&[data-limit] > .inputs': { gridColumn: '1 / -1' },
  '& > .inputs': {
    gridColumn: '2 / -1',
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fill, minmax(168px, 1fr))',
    gap: '12px 12px',
    alignItems: 'start',
    padding: '12px 0 4px',
  },
  '@media (max-width: 599.95px)': { '& > .inputs': { gridColumn: '1 / -1' } },
});

interface Props {
  part: GroupingRule['part'];
  detail: GroupingDetail;
  values: Values;
  onChange: (parameter: string, value: number | undefined) => void;
}

export function GroupingTable({ part, ...props }: Props) {
  return (
    <div>
      {groupingRules
        .filter((rule) => rule.part === part)
        .map((rule) => (
          <Rule key={rule.id} rule={rule} {...props} />
        ))}
    </div>
  );
}

function Rule({ rule, detail, values, onChange }: Omit<Props, 'part'> & { rule: GroupingRule }) {
  const [isOpened, setIsOpened] = useState(false);
  const known = (id: string) => detail.parameters.find(({ parameter }) => parameter === id)!;
  const shownOf = ({ id }: GroupingParameter) => values[id] ?? known(id).inherited;
  const all = groupingParameters.filter((parameter) => parameter.rule === rule.id);
  const onOff = all.find(({ field }) => field === 'isOn');
  const window = all.find(({ field }) => field === 'windowMinutes');
  const inputs = all.filter((parameter) => parameter !== onOff);
  const sentence = capitalised(sentenceOf(rule, window ? shownOf(window) : 0));
  const isOn = !onOff || shownOf(onOff) === 1;
  const brief = inputs.filter((parameter) => parameter !== window).map((each) => briefly(each, shownOf(each)));
  const changed = all.filter((each) => shownOf(each) !== known(each.id).inherited);
  const set = (parameter: GroupingParameter, next: number) =>
    onChange(parameter.id, next === known(parameter.id).inherited ? undefined : next);
  const from = [...new Set(all.map(({ id }) => known(id).from))].filter((each) => each === 'provider' || each === 'partner');
  return (
    <RuleRow
      role="group"
      aria-label={sentence}
      data-off={isOn ? undefined : true}
      data-limit={rule.part === 'limit' || undefined}
    >
      {onOff && (
        <Switch
          size="small"
          checked={isOn}
          onChange={({ target }) => set(onOff, target.checked ? 1 : 0)}
          slotProps={{ input: { 'aria-label': sentence } }}
        />
      )}
      <div className="text">
        <div>{sentence}</div>
        <div className="brief">
          {(isOn ? brief : ['off'])
            .filter((each) => each !== '')
            .map((each, index) => (index === 0 ? capitalised(each) : each))
            .join(' · ')}
          {from.length > 0 && ` · ${from.map((each) => `set by ${fromLabel[each].toLowerCase()}`).join(', ')}`}
        </div>
        {changed.length > 0 && (
          <div className="changed">
            {changed
              .map((each) => {
                const label = each.field === 'value' ? 'Value' : groupingFields[each.field];
                return `${label}: ${valueText(each, known(each.id).inherited)} → ${valueText(each, shownOf(each))}`;
              })
              .join(', ')}
          </div>
        )}
      </div>
      <Button size="small" color="inherit" aria-expanded={isOpened} onClick={() => setIsOpened(!isOpened)}>
        {isOpened ? 'Close' : 'Edit'}
      </Button>
      {isOpened && (
        <div className="inputs">
          {inputs.map((parameter) => (
            <ParameterInput
              key={parameter.id}
              parameter={parameter}
              inherited={known(parameter.id).inherited}
              value={shownOf(parameter)}
              onChange={(value) => set(parameter, value)}
            />
          ))}
        </div>
      )}
    </RuleRow>
  );
}

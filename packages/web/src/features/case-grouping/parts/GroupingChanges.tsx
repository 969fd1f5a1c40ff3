/** Changes of the editor: their list, preview over past alerts, and the draft. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { GroupingDetail, GroupingSetInput } from '@parapet/contract/caseGrouping.ts';
import { parameterById } from '@parapet/contract/rules/grouping.ts';
import { useState } from 'react';
import { Nothing } from '../../../kit/rows.styles.ts';
import { visibleText } from '../../../kit/visible.ts';
import { useSearchState } from '../../../lib/address.ts';
import { useSaveGrouping, useStartGroupingPreview } from '../grouping.queries.ts';
import { differencesOf, inputOf, isSameSet, type Values } from '../grouping.ts';
import { GroupingPreviewResult } from './GroupingPreviewResult.tsx';

const ranges = [7, 30, 90] as const;
const Stack = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });
const Line = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'flex-start' });
const List = styled('ul')({ margin: 0, paddingLeft: 20 });

interface Props {
  detail: GroupingDetail;
  values: Values;
  common: GroupingSetInput['common'];
  previewID: number | undefined;
  onReset: () => void;
  onSaved: () => void;
}

export function GroupingChanges({ detail, values, common, previewID, onReset, onSaved }: Props) {
  const { change: changeAddress } = useSearchState();
  const [days, setDays] = useState<number>(30);
  const [note, setNote] = useState('');
  const start = useStartGroupingPreview();
  const save = useSaveGrouping();
  const set = { parameters: inputOf(values), common };
  const change = { clientOrganizationID: detail.clientOrganizationID, ...set };
  const isValid = set.parameters.every(({ parameter, value }) => {
    const { min, max } = parameterById.get(parameter)!;
    return Number.isInteger(value) && value >= min && value <= max;
  });
  const isLive = isSameSet(set, detail.versions.find(({ state }) => state === 'live') ?? { parameters: [], common: [] });
  const onPreview = () =>
    start
      .mutateAsync({ body: { ...change, days } })
      .then(({ id }) => changeAddress({ preview: id }, { replace: true }))
      .catch(() => undefined);
  const onSave = () =>
    save
      .mutateAsync({ body: { ...change, note, afterVersion: detail.versions[0]?.version ?? 0 } })
      .then(() => {
        setNote('');
        onSaved();
      })
      .catch(() => undefined);
  const differences = isValid ? differencesOf(set) : [];
  return (
    <Stack>
      {!isValid && <Nothing>Some values are out of bounds.</Nothing>}
      {isValid && differences.length === 0 && <Nothing>No differences from the inherited set.</Nothing>}
      {differences.length > 0 && (
        <List aria-label="Differences from the inherited set">
          {differences.map((each) => (
            <li key={each}>{visibleText(each)}</li>
          ))}
        </List>
      )}
      <Line>
        <TextField
          select
          size="small"
          label="Range"
          value={days}
          onChange={({ target }) => setDays(Number(target.value))}
          sx={{ width: 148 }}
        >
          {ranges.map((each) => (
            <MenuItem key={each} value={each}>
              Last {each} days
            </MenuItem>
          ))}
        </TextField>
        <Button
          variant="outlined"
          disabled={!isValid}
          loading={start.isPending}
          onClick={() => void onPreview()}
          sx={{ height: 40 }}
        >
          Preview
        </Button>
        {!isLive && (
          <Button color="inherit" onClick={onReset} sx={{ height: 40 }}>
            Discard changes
          </Button>
        )}
      </Line>
      {previewID !== undefined && <GroupingPreviewResult id={previewID} isStale={(previewed) => !isSameSet(previewed, set)} />}
      <Line>
        <TextField
          size="small"
          label="Reason"
          value={note}
          onChange={({ target }) => setNote(target.value)}
          sx={{ flex: '1 1 240px' }}
          helperText="At least 5 characters."
          slotProps={{ htmlInput: { maxLength: 2000 } }}
        />
        <Button
          variant="contained"
          disabled={!isValid || note.trim().length < 5}
          loading={save.isPending}
          onClick={() => void onSave()}
          sx={{ height: 40 }}
        >
          Save draft
        </Button>
      </Line>
    </Stack>
  );
}

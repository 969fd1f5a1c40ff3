/** Entities that join no alerts, such as a scanner’s address or a backup account. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import type { GroupingSetInput } from '@parapet/contract/caseGrouping.ts';
import { type CommonKind, commonKinds } from '@parapet/contract/rules/grouping.ts';
import { useState } from 'react';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

type Common = GroupingSetInput['common'];
const kindLabel: Record<CommonKind, string> = { user: 'User', device: 'Device', address: 'Address', hash: 'Hash' };

export function CommonEntities({
  inherited,
  common,
  onChange,
}: {
  inherited: Common;
  common: Common;
  onChange: (common: Common) => void;
}) {
  const [kind, setKind] = useState<CommonKind>('user');
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  const onAdd = () => {
    onChange([...common, { kind, value: value.trim(), reason: reason.trim() }]);
    setValue('');
    setReason('');
  };
  return (
    <div style={{ display: 'grid', gap: 12 }}>
      {inherited.length + common.length === 0 && <Nothing>No entities yet.</Nothing>}
      <Rows aria-label="Entities that join no alerts">
        {inherited.map((each) => (
          <Row key={`inherited ${each.kind} ${each.value}`}>
            <div className="fields">
              {kindLabel[each.kind]} <VisibleText text={each.value} /> (inherited)
            </div>
          </Row>
        ))}
        {common.map((each, index) => (
          <Row key={`${each.kind} ${each.value}`}>
            <div className="fields">
              <div>
                {kindLabel[each.kind]} <VisibleText text={each.value} />
              </div>
              {each.reason && (
                <div>
                  <VisibleText text={each.reason} />
                </div>
              )}
            </div>
            <div className="buttons">
              <Button size="small" onClick={() => onChange(common.filter((_, place) => place !== index))}>
                Remove
              </Button>
            </div>
          </Row>
        ))}
      </Rows>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <TextField select size="small" label="Kind" value={kind} onChange={({ target }) => setKind(target.value as CommonKind)}>
          {commonKinds.map((each) => (
            <MenuItem key={each} value={each}>
              {kindLabel[each]}
            </MenuItem>
          ))}
        </TextField>
        <TextField size="small" label="Value" value={value} onChange={({ target }) => setValue(target.value)} />
        <TextField size="small" label="Comment" value={reason} onChange={({ target }) => setReason(target.value)} />
        <Button disabled={value.trim() === ''} onClick={onAdd}>
          Add entity
        </Button>
      </div>
    </div>
  );
}

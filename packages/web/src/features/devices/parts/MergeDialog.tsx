/** Makes duplicates names of one device: which of the chosen ones stays is said here. */
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { styled } from '@mui/material/styles';
import type { Device } from '@parapet/contract/devices.ts';
import { useId, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useMerge } from '../devices.queries.ts';

const Choice = styled('span')(({ theme }) => ({
  overflowWrap: 'anywhere',
  '& > span': { display: 'block', fontSize: 12, color: (theme.vars ?? theme).palette.text.secondary },
}));

interface Props {
  devices: readonly Device[];
  onClose: () => void;
  onDone: () => void;
}

export function MergeDialog({ devices, onClose, onDone }: Props) {
  const id = useId();
  const merge = useMerge();
  // The agent's device is the machine itself; else the one that was heard of last.
  const likely = devices.toSorted(
    (a, b) => Number(b.hasAgent) - Number(a.hasAgent) || (b.lastEventAt ?? '').localeCompare(a.lastEventAt ?? ''),
  )[0];
  const [target, setTarget] = useState(likely?.uuid ?? '');
  const duplicates = devices.map(({ uuid }) => uuid).filter((uuid) => uuid !== target);
  return (
    <ConfirmDialog
      isOpen
      title={`Merge ${counted(devices.length, 'data source')}?`}
      isBusy={merge.isPending}
      onNo={onClose}
      onYes={() => merge.mutate({ target, duplicates, isMerged: true }, { onSuccess: onDone })}
    >
      <p id={id} style={{ marginTop: 0 }}>
        They are one device under several names. Choose the one that stays: the others become its names, and their alerts, tags
        and events count there. A name can be taken out again on the device’s page.
      </p>
      <RadioGroup aria-labelledby={id} value={target} onChange={(event) => setTarget(event.target.value)}>
        {devices.map((device) => (
          <FormControlLabel
            key={device.uuid}
            value={device.uuid}
            control={<Radio size="small" />}
            label={
              <Choice>
                <VisibleText text={device.name} />
                <span>
                  {device.hasAgent ? 'Has our agent' : (device.agentUpdateVersion ?? 'Says nothing of its collector')} ·{' '}
                  {counted(device.alertCount, 'alert')} in 30 days
                </span>
              </Choice>
            }
          />
        ))}
      </RadioGroup>
    </ConfirmDialog>
  );
}

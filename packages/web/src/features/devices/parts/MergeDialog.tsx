/** Merges duplicates into one of the selected devices. */
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { styled } from '@mui/material/styles';
import type { Device } from '@parapet/contract/devices.ts';
import { useId, useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useMerge } from '../devices.queries.ts';

const Choice = styled('span')({
  overflowWrap: 'anywhere',
  '& > span': { display: 'block', fontSize: 12, color: palette.text.secondary },
});

interface Props {
  devices: readonly Device[];
  onClose: () => void;
  onDone: () => void;
}

export function MergeDialog({ devices, onClose, onDone }: Props) {
  const id = useId();
  const merge = useMerge();
  // Prefers the device with an agent, then the one seen last.
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
      onYes={() => merge.mutate({ body: { target, duplicates, isMerged: true } }, { onSuccess: onDone })}
    >
      <p id={id} style={{ marginTop: 0 }}>
        Merges duplicates of one device. Select the device to keep: the others become its aliases, and their alerts, tags and
        events count there. You can unmerge an alias on the device’s page.
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
                  {device.hasAgent ? 'Agent installed' : (device.agentUpdateVersion ?? 'Unknown collector')} ·{' '}
                  {counted(device.alertCount, 'alert')} in the last 30 days
                </span>
              </Choice>
            }
          />
        ))}
      </RadioGroup>
    </ConfirmDialog>
  );
}

/** Checks of a response target before the request: refusals, and warnings that require confirmation. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { targetRefusal, targetWarning } from '@parapet/contract/rules/responseTargets.ts';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../../kit/Note.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { devicesQuery } from '../../../lib/devicesQuery.ts';
import { useScope } from '../../../lib/scope.ts';

export interface TargetFindings {
  refusal: string | undefined;
  warning: string | undefined;
}

/** Applies the contract’s rules with the device’s recorded type. `device`: device of the action; empty for accounts alone. */
export function useTargetFindings(client: number, action: string, target: string, device: string): TargetFindings {
  const { timeZone } = useScope();
  const found = useQuery({ ...devicesQuery(client, device, timeZone), enabled: client > 0 && device !== '' });
  const types = (found.data?.results ?? [])
    .filter(({ name }) => name.toLowerCase() === device.toLowerCase())
    .map(({ deviceType }) => deviceType);
  return {
    refusal: device === '' ? undefined : targetRefusal(action, device, types),
    warning: target === '' ? undefined : targetWarning(action, target, types),
  };
}

interface Props extends TargetFindings {
  isRead: boolean;
  onRead: (isRead: boolean) => void;
}

export function TargetCheck({ refusal, warning, isRead, onRead }: Props) {
  if (refusal !== undefined)
    return (
      <Note tone="warning" role="alert">
        <VisibleText text={refusal} />
      </Note>
    );
  if (warning === undefined) return null;
  return (
    <Note tone="warning" role="alert">
      <VisibleText text={warning} />
      <FormControlLabel
        sx={{ display: 'flex', mt: 0.5 }}
        control={<Checkbox size="small" checked={isRead} onChange={(_, isChecked) => onRead(isChecked)} />}
        label="I have read this and want to continue"
        slotProps={{ typography: { variant: 'body2' } }}
      />
    </Note>
  );
}

/** True when the request may be sent: no refusal, and any warning confirmed. */
export const mayGoOn = ({ refusal, warning }: TargetFindings, isRead: boolean): boolean =>
  refusal === undefined && (warning === undefined || isRead);

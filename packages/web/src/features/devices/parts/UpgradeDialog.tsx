/** Requests the latest version for devices, then lists each result: offered to its agent, already current, or manual update. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { devicesApi } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useUpgrade } from '../devices.queries.ts';

type Result = AnswerOf<typeof devicesApi.upgrade>['results'][number];

const outcomes: { outcome: Result['outcome']; title: (count: number) => string }[] = [
  { outcome: 'instructed', title: (count) => `${counted(count, 'device')} to update manually` },
  { outcome: 'offered', title: (count) => `${counted(count, 'agent')} offered the latest version` },
  { outcome: 'current', title: (count) => `${counted(count, 'device')} already up to date` },
];

const List = styled('ul')({
  margin: '4px 0 16px',
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { padding: '5px 0', borderTop: `1px solid ${palette.divider}`, overflowWrap: 'anywhere' },
});

export function UpgradeDialog({ devices, onClose }: { devices: readonly { uuid: string; name: string }[]; onClose: () => void }) {
  const upgrade = useUpgrade();
  const results = upgrade.data?.results;
  const one = devices.length === 1 ? devices[0] : undefined;
  if (!results)
    return (
      <ConfirmDialog
        isOpen
        title={one ? 'Update this device?' : `Update ${counted(devices.length, 'device')}?`}
        isBusy={upgrade.isPending}
        onNo={onClose}
        onYes={() => upgrade.mutate({ body: { devices: devices.map(({ uuid }) => uuid) } })}
      >
        {one ? <VisibleText text={one.name} /> : 'Each device'} is offered the latest version of its collector. Agents install it
        at their next check-in; Beats and syslog require a manual update.
      </ConfirmDialog>
    );
  return (
    <Modal
      title="Update results"
      onClose={onClose}
      actions={
        <Button variant="contained" onClick={onClose}>
          Close
        </Button>
      }
    >
      {outcomes.map(({ outcome, title }) => {
        const own = results.filter((result) => result.outcome === outcome);
        if (own.length === 0) return null;
        return (
          <section key={outcome} aria-label={title(own.length)}>
            <strong>{title(own.length)}</strong>
            <List>
              {own.map(({ uuid, text }) => (
                <li key={uuid}>
                  <VisibleText text={text} />
                </li>
              ))}
            </List>
          </section>
        );
      })}
    </Modal>
  );
}

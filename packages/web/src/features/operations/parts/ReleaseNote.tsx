/** Warning while a restored portal is paused, with its release. */
import Button from '@mui/material/Button';
import type { OperationsState } from '@parapet/contract/operations.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { useRelease } from '../operations.queries.ts';

interface Props {
  restoration: NonNullable<OperationsState['restoration']>;
  timeZone: string | undefined;
}

export function ReleaseNote({ restoration: { restoredAt, restoredTo }, timeZone }: Props) {
  const [isAsking, setAsking] = useState(false);
  const release = useRelease();
  const confirm = () => release.mutate({}, { onSettled: () => setAsking(false) });
  return (
    <>
      <Note
        tone="warning"
        actions={
          <Button size="small" variant="contained" onClick={() => setAsking(true)}>
            Release
          </Button>
        }
      >
        Restored on <AbsoluteTime at={restoredAt} timeZone={timeZone} />, to the state of{' '}
        <AbsoluteTime at={restoredTo} timeZone={timeZone} />. Deliveries, connections, agent tasks and emails from before the
        restore are paused.
      </Note>
      <ConfirmDialog
        isOpen={isAsking}
        title="Release the restored portal?"
        onNo={() => setAsking(false)}
        onYes={confirm}
        isBusy={release.isPending}
      >
        Deliveries, connections, agent tasks and earlier emails continue. Make sure that the former installation no longer runs:
        both would act. Users, keys and settings that were removed after the restored state exist again.
      </ConfirmDialog>
    </>
  );
}

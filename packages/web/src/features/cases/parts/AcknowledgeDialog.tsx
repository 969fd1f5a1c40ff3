/** Acknowledges a case for a link with `acknowledge=1`, such as the button of a message in Teams, after a confirmation. */
import Button from '@mui/material/Button';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { acknowledgeFault, likeOf } from '../caseTexts.ts';
import type { CaseActions } from '../useCaseActions.tsx';

export function AcknowledgeDialog({ detail, actions }: { detail: CaseDetail; actions: CaseActions }) {
  const { search, change } = useSearchState();
  const { caseGeneralInfo: info } = detail;
  const close = () => change({ acknowledge: undefined }, { replace: true });
  if (search.acknowledge !== '1') return null;
  const fault = acknowledgeFault(detail);
  if (fault !== undefined)
    return (
      <Modal
        title={`Case ${info.id} can’t be acknowledged`}
        maxWidth="xs"
        onClose={close}
        actions={<Button onClick={close}>Close</Button>}
      >
        {fault}
      </Modal>
    );
  return (
    <ConfirmDialog
      isOpen
      title={`Acknowledge case ${info.id}?`}
      onNo={close}
      onYes={() => {
        actions.acknowledge(likeOf(detail));
        close();
      }}
    >
      <VisibleText text={info.title} /> counts as seen by you, and is escalated no further.
    </ConfirmDialog>
  );
}

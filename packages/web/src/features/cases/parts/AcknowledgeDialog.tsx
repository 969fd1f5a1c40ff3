/** Acknowledges a case for a link with `acknowledge=1`, such as the button of a message in Teams, after a confirmation. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { likeOf } from '../caseTexts.ts';
import type { CaseActions } from '../useCaseActions.tsx';

export function AcknowledgeDialog({ detail, actions }: { detail: CaseDetail; actions: CaseActions }) {
  const { search, change } = useSearchState();
  const { caseGeneralInfo: info, can } = detail;
  const isOpen = search.acknowledge === '1' && can.write && info.acknowledgement === null && info.closedTime === null;
  const close = () => change({ acknowledge: undefined }, { replace: true });
  return (
    <ConfirmDialog
      isOpen={isOpen}
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

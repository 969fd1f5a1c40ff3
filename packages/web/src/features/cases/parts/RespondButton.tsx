/** Isolates or blocks a target, or reverses it; shows the state of a pending request. */
import Button from '@mui/material/Button';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { visibleText } from '../../../kit/visible.ts';
import { pendingFor, responseTexts, stateText } from '../../responses/responseTexts.ts';
import { disabledReason } from '../caseTexts.ts';
import type { Respond } from '../useRespond.tsx';

interface Props {
  detail: CaseDetail;
  kind: 'isolate' | 'blockUser';
  target: string;
  /** The target is isolated or blocked. */
  isDone: boolean;
  respond: Respond;
}

const reverse = { isolate: 'unisolate', blockUser: 'unblockUser' } as const;
const label = { isolate: 'Isolate', unisolate: 'Unisolate', blockUser: 'Block', unblockUser: 'Unblock' } as const;

export function RespondButton({ detail, kind, target, isDone, respond }: Props) {
  const pending = pendingFor(detail.responses, kind, target);
  const action = isDone ? reverse[kind] : kind;
  const reason =
    disabledReason.respond(detail.can.respond) ??
    (pending && `${responseTexts(pending.action).name}: ${stateText[pending.state].meaning}`);
  const shown = pending ? stateText[pending.state].word : label[action];
  return (
    <span title={reason}>
      <Button
        size="small"
        disabled={reason !== undefined}
        onClick={() => respond.open({ action, target })}
        aria-label={`${shown} ${visibleText(target)}`}
        sx={{ minWidth: 0, minHeight: 26, py: 0, fontSize: 12 }}
      >
        {shown}
      </Button>
    </span>
  );
}

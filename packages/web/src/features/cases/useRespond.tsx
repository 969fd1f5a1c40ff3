/**
 * Isolates a device or blocks a user from a case after a confirmation; complete only when acknowledged. The token for
 * blocking a user is fetched for each confirmation, because it is valid once within two minutes.
 */
import Box from '@mui/material/Box';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { toast } from '../../lib/toast.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { mayGoOn, TargetCheck, useTargetFindings } from '../responses/parts/TargetCheck.tsx';
import { useResponsesChanged } from '../responses/responses.queries.ts';
import { consequences, responseTexts } from '../responses/responseTexts.ts';
import { failureText } from './caseTexts.ts';

export interface RespondRequest {
  action: 'isolate' | 'unisolate' | 'blockUser' | 'unblockUser';
  target: string;
}

export function useRespond({ caseGeneralInfo: { id: caseID, clientOrganizationID: client } }: CaseDetail) {
  const changed = useResponsesChanged();
  const [wanted, setWanted] = useState<RespondRequest>();
  const issueToken = useApiMutation(responsesApi.issueBlockToken, { failure: false });
  const blockUser = useApiMutation(responsesApi.blockUser, { failure: false });
  const isolateHost = useApiMutation(responsesApi.isolateHost, { failure: false });
  const [isBusy, setBusy] = useState(false);
  const token = useRef<Promise<string>>(undefined);
  const [isRead, setRead] = useState(false);
  const isUser = wanted?.action === 'blockUser' || wanted?.action === 'unblockUser';

  const findings = useTargetFindings(client, wanted?.action ?? '', wanted?.target ?? '', isUser ? '' : (wanted?.target ?? ''));

  const open = (next: RespondRequest) => {
    setRead(false);
    setWanted(next);
    token.current =
      next.action === 'blockUser' || next.action === 'unblockUser'
        ? issueToken.mutateAsync({ body: { caseID, userID: next.target } }).then((issued) => issued.token)
        : undefined;
    // A failure shows when the confirmation needs the token.
    token.current?.catch(() => {});
  };
  const request = async () => {
    if (!wanted) return;
    const { action, target } = wanted;
    const { name, failed } = responseTexts(action);
    setBusy(true);
    try {
      const isAccepted = token.current
        ? (
            await blockUser.mutateAsync({
              params: { token: await token.current },
              body: { userID: target, isDisabled: action === 'blockUser', acknowledgesWarning: isRead },
            })
          ).signInResult
        : (
            await isolateHost.mutateAsync({
              body: { caseID, deviceID: target, isIsolated: action === 'isolate', acknowledgesWarning: isRead },
            })
          ).isolateResult;
      if (isAccepted) toast.info(`${name} requested: ${target}`, 'case');
      else toast.error(failed, 'case');
    } catch (error) {
      toast.error(failureText(failed, error), 'case');
    }
    setBusy(false);
    setWanted(undefined);
    void changed();
  };

  const dialog = (
    <ConfirmDialog
      isOpen={wanted !== undefined}
      title={wanted ? `${responseTexts(wanted.action).name}?` : ''}
      isBusy={isBusy}
      isYesOff={!mayGoOn(findings, isRead)}
      onNo={() => setWanted(undefined)}
      onYes={() => void request()}
    >
      {wanted && (
        <>
          {isUser ? 'The user ' : 'The device '}
          <b>
            <VisibleText text={wanted.target} />
          </b>{' '}
          {consequences[wanted.action]}
          {wanted.action === 'isolate' && ' The agent releases it automatically after 24 hours.'} The case shows the progress.
          <Box sx={{ mt: 2, '&:empty': { display: 'none' } }}>
            <TargetCheck {...findings} isRead={isRead} onRead={setRead} />
          </Box>
        </>
      )}
    </ConfirmDialog>
  );
  return { open, dialog };
}
export type Respond = ReturnType<typeof useRespond>;

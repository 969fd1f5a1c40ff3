/**
 * Isolating a device and blocking a user from a case: asked first, then requested; done is only what was acknowledged (decisions 13, 14).
 * The path for blocking a user is fetched anew for each question, because it is good for one answer within two minutes.
 */
import Box from '@mui/material/Box';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { call } from '../../lib/call.ts';
import { toast } from '../../lib/toast.ts';
import { mayGoOn, TargetCheck, useTargetFindings } from '../responses/parts/TargetCheck.tsx';
import { useResponsesChanged } from '../responses/responses.queries.ts';
import { consequences, responseTexts } from '../responses/responseTexts.ts';
import { failed } from './caseTexts.ts';

export interface Wanted {
  action: 'isolate' | 'unisolate' | 'blockUser' | 'unblockUser';
  target: string;
}

export function useRespond({ caseGeneralInfo: { id: caseID, clientOrganizationID: client } }: CaseDetail) {
  const changed = useResponsesChanged();
  const [wanted, setWanted] = useState<Wanted>();
  const [isBusy, setBusy] = useState(false);
  const token = useRef<Promise<string>>(undefined);
  const [isRead, setRead] = useState(false);
  const isUser = wanted?.action === 'blockUser' || wanted?.action === 'unblockUser';

  const findings = useTargetFindings(client, wanted?.action ?? '', wanted?.target ?? '', isUser ? '' : (wanted?.target ?? ''));

  const ask = (next: Wanted) => {
    setRead(false);
    setWanted(next);
    token.current =
      next.action === 'blockUser' || next.action === 'unblockUser'
        ? call(responsesApi.issueBlockToken, { body: { caseID, userID: next.target } }).then((issued) => issued.token)
        : undefined;
    // It is told when Yes needs it.
    token.current?.catch(() => {});
  };
  const request = async () => {
    if (!wanted) return;
    const { action, target } = wanted;
    const { name, failed: failedText } = responseTexts(action);
    setBusy(true);
    try {
      const isAccepted = token.current
        ? (
            await call(responsesApi.blockUser, {
              params: { token: await token.current },
              body: { userID: target, isDisabled: action === 'blockUser', acknowledgesWarning: isRead },
            })
          ).signInResult
        : (
            await call(responsesApi.isolateHost, {
              body: { caseID, deviceID: target, isIsolated: action === 'isolate', acknowledgesWarning: isRead },
            })
          ).isolateResult;
      if (isAccepted) toast.info(`${name} requested: ${target}`, 'case');
      else toast.error(failedText, 'case');
    } catch (error) {
      toast.error(failed(failedText, error), 'case');
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
          {wanted.action === 'isolate' && ' Our agent lets it back by itself after 24 hours.'} The case shows how far it is.
          <Box sx={{ mt: 2, '&:empty': { display: 'none' } }}>
            <TargetCheck {...findings} isRead={isRead} onRead={setRead} />
          </Box>
        </>
      )}
    </ConfirmDialog>
  );
  return { ask, dialog };
}
export type Respond = ReturnType<typeof useRespond>;

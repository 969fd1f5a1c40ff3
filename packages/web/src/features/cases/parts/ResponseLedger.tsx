/** Every isolation and block of the case with how far it is; what a person does by hand, that person says. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { CaseDetail, Response } from '@parapet/contract/cases.ts';
import { responsesApi } from '@parapet/contract/responses.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { refreshCase } from '../caseCache.ts';
import { failed, whyNot } from '../caseTexts.ts';
import { isPending, responseTexts, stateText } from '../responseTexts.ts';

const List = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    margin: 0,
    padding: 0,
    listStyle: 'none',
    fontSize: 13,
    '& > li': { padding: '8px 0', borderTop: `1px solid ${palette.divider}`, overflowWrap: 'anywhere' },
    '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
    '& .said': { fontSize: 12, color: palette.text.secondary },
    '& .state': { fontWeight: 600 },
    '& .buttons': { display: 'flex', gap: 8, marginTop: 4 },
  };
});

export function ResponseLedger({ detail, timeZone }: { detail: CaseDetail; timeZone: string }) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<{ response: Response; isDone: boolean }>();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const noRespond = whyNot.respond(detail.can.respond);
  const confirm = async () => {
    if (!asked) return;
    const { response, isDone } = asked;
    setBusy(true);
    try {
      await call(responsesApi.acknowledge, { params: { id: response.id }, body: { isDone, note } });
      setAsked(undefined);
      // What it says then is told by the page: the ledger is its source.
      await refreshCase(queries, detail.caseGeneralInfo.id);
    } catch (error) {
      toast.error(failed(responseTexts(response.action).failed, error), 'case');
    }
    setBusy(false);
  };
  const ask = (response: Response, isDone: boolean) => {
    setNote('');
    setAsked({ response, isDone });
  };
  if (detail.responses.length === 0) return null;
  return (
    <>
      <List aria-label="Responses">
        {detail.responses.map((response) => {
          const { word, meaning } = stateText[response.state];
          return (
            <li key={response.id}>
              <div>
                {responseTexts(response.action).name} <VisibleText text={response.target} />
              </div>
              <div title={meaning}>
                <span className="state">{word}</span>{' '}
                <span className="said">
                  <RelativeTime at={response.changedTime} timeZone={timeZone} />, asked for by{' '}
                  <VisibleText text={response.requestedBy} />
                </span>
              </div>
              {response.detail && (
                <div className="said">
                  <VisibleText text={response.detail} />
                </div>
              )}
              {response.isManual && isPending(response.state) && (
                <>
                  <div className="said">A person does this by hand and says so here.</div>
                  <div className="buttons no-print" title={noRespond}>
                    <Button
                      size="small"
                      variant="outlined"
                      disabled={noRespond !== undefined}
                      onClick={() => ask(response, true)}
                    >
                      Done
                    </Button>
                    <Button size="small" disabled={noRespond !== undefined} onClick={() => ask(response, false)}>
                      Failed
                    </Button>
                  </div>
                </>
              )}
            </li>
          );
        })}
      </List>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={asked?.isDone ? 'It was done?' : 'It failed?'}
        isBusy={isBusy}
        isYesOff={asked?.isDone === false && note.trim() === ''}
        onNo={() => setAsked(undefined)}
        onYes={() => void confirm()}
      >
        {asked && (
          <>
            {responseTexts(asked.response.action).name} <VisibleText text={asked.response.target} />:{' '}
            {asked.isDone ? 'say only what was observed.' : 'say why, so that the next one knows.'}
            <TextField
              label={asked.isDone ? 'How it was seen' : 'Why it failed'}
              value={note}
              onChange={(event) => setNote(event.target.value)}
              multiline
              minRows={2}
              fullWidth
              size="small"
              sx={{ mt: 2 }}
              slotProps={{ htmlInput: { maxLength: 2000 } }}
            />
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

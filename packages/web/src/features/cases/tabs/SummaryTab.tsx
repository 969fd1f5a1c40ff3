/** What happened in words: the portal's summary, what the alerts say, and the narratives for the client. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import type { CaseDetail, CaseNarrative } from '@parapet/contract/caseDetail.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { refreshCase } from '../caseCache.ts';
import { disabledReason, failed, said } from '../caseTexts.ts';
import { NoteText } from '../parts/NoteText.tsx';
import type { TabProps } from './tab.ts';

export function SummaryTab({ detail, timeZone, drafts }: TabProps) {
  const { alertNarrative, autonomousResponseData: data, caseNarrative, can } = detail;
  const noWrite = disabledReason.write(can.write);
  return (
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Section title="Summary">
        <Prose text={data.caseSummary} none="No summary yet: it is written when the case is judged." />
      </Section>
      <Section title="What the alerts say">
        <Prose text={alertNarrative} none="Nothing yet." />
      </Section>
      <Section title="Narratives" note="What happened, written for the client">
        {caseNarrative.length === 0 && (
          <Box sx={{ fontSize: 13, color: 'text.secondary' }}>
            {can.seeInternals ? 'Nobody has written one yet.' : 'None was sent to you yet.'}
          </Box>
        )}
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {caseNarrative.map((narrative) => (
            <Box
              component="li"
              key={narrative.id}
              sx={{ py: 1.5, borderTop: '1px solid', borderColor: 'divider', '&:first-of-type': { borderTop: 0, pt: 0 } }}
            >
              <Narrative
                narrative={narrative}
                detail={detail}
                timeZone={timeZone}
                onEdit={() => drafts.setNarrative({ id: narrative.id, text: narrative.text })}
              />
            </Box>
          ))}
        </Box>
        {can.seeInternals &&
          (drafts.narrative ? (
            <Write detail={detail} drafts={drafts} />
          ) : (
            <Box className="no-print" title={noWrite} sx={{ mt: 1.5 }}>
              <Button
                size="small"
                variant="outlined"
                disabled={noWrite !== undefined}
                onClick={() => drafts.setNarrative({ text: '' })}
              >
                Write a narrative
              </Button>
            </Box>
          ))}
      </Section>
    </Box>
  );
}

const Prose = ({ text, none }: { text: string; none: string }) => (
  <Box
    sx={{
      fontSize: 14,
      lineHeight: '22px',
      maxWidth: '84ch',
      whiteSpace: 'pre-line',
      overflowWrap: 'anywhere',
      ...(text ? {} : { color: 'text.secondary' }),
    }}
  >
    <VisibleText text={text || none} keepLines />
  </Box>
);

interface NarrativeProps {
  narrative: CaseNarrative;
  detail: CaseDetail;
  timeZone: string;
  onEdit: () => void;
}

function Narrative({ narrative, detail, timeZone, onEdit }: NarrativeProps) {
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { emailSentTimestamp: sentAt } = narrative;
  const { can, caseGeneralInfo: info, clientOrganizationDetails: client } = detail;
  const noMail = disabledReason.mail(can.mail);
  const send = async () => {
    setBusy(true);
    try {
      await call(caseMailsApi.sendNarrative, { body: { caseNarrativeID: narrative.id } });
      toast.success(said.narrativeMailed, 'case');
    } catch (error) {
      toast.error(failed(said.narrativeMailFailed, error), 'case');
    }
    setBusy(false);
    setAsked(false);
    void refreshCase(queries, info.id);
    void queries.invalidateQueries({ queryKey: [caseMailsApi.listOfCase.id] });
  };
  return (
    <>
      <Box sx={{ mb: 0.5, fontSize: 12, color: 'text.secondary' }}>
        <VisibleText text={narrative.analystUserAccountFull.displayName} /> ·{' '}
        <AbsoluteTime at={narrative.startTime} timeZone={timeZone} />
        {narrative.isGenerated && ' · written by decisioning'}
        {' · '}
        {sentAt ? (
          <>
            mailed <AbsoluteTime at={sentAt} timeZone={timeZone} />
          </>
        ) : (
          'not mailed: the client does not see it'
        )}
      </Box>
      <NoteText text={narrative.text} />
      {can.seeInternals && !sentAt && (
        <Box className="no-print" sx={{ display: 'flex', gap: 1, mt: 1 }}>
          <span title={disabledReason.write(can.write)}>
            <Button size="small" disabled={!can.write} onClick={onEdit}>
              Edit
            </Button>
          </span>
          <span title={noMail}>
            <Button size="small" disabled={noMail !== undefined} onClick={() => setAsked(true)}>
              Mail to the client
            </Button>
          </span>
        </Box>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        title="Mail this narrative?"
        isBusy={isBusy}
        onNo={() => setAsked(false)}
        onYes={() => void send()}
      >
        It goes to the escalation addresses of <VisibleText text={client.clientOrganization.name} />
        {client.escalationEmailAddresses.length > 0 && (
          <>
            : <VisibleText text={client.escalationEmailAddresses.map(({ emailAddress }) => emailAddress).join(', ')} />
          </>
        )}
        . Afterwards it cannot be changed any more.
      </ConfirmDialog>
    </>
  );
}

function Write({ detail, drafts }: Pick<TabProps, 'detail' | 'drafts'>) {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const { id: caseID, clientOrganizationID } = detail.caseGeneralInfo;
  const draft = drafts.narrative;
  if (!draft) return null;
  const save = async () => {
    setBusy(true);
    try {
      await call(casesApi.saveNarrative, {
        params: { clientId: clientOrganizationID },
        body: { caseID, ...(draft.id ? { id: draft.id } : {}), text: draft.text },
      });
      toast.success(said.case, 'case');
      drafts.setNarrative(undefined);
      await refreshCase(queries, caseID);
    } catch (error) {
      toast.error(failed(said.caseFailed, error), 'case');
    }
    setBusy(false);
  };
  return (
    <Box className="no-print" sx={{ display: 'grid', gap: 1, mt: 2, maxWidth: 860 }}>
      <TextField
        label={draft.id ? 'Narrative' : 'New narrative'}
        helperText="Lists (- ), `code`, ``` blocks and https addresses are shown as such."
        value={draft.text}
        onChange={(event) => drafts.setNarrative({ ...draft, text: event.target.value })}
        autoFocus
        multiline
        minRows={6}
        maxRows={24}
        fullWidth
        size="small"
        slotProps={{ htmlInput: { maxLength: 20_000 } }}
      />
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button variant="contained" size="small" loading={isBusy} disabled={draft.text.trim() === ''} onClick={() => void save()}>
          Save
        </Button>
        <Button size="small" disabled={isBusy} onClick={() => drafts.setNarrative(undefined)}>
          Cancel
        </Button>
      </Box>
    </Box>
  );
}

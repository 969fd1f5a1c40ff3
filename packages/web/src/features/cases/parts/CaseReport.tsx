/** Printable report of a case: the content of all tabs in sequence. */
import { styled } from '@mui/material/styles';
import { artifactKinds, type CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { ReactNode } from 'react';
import { Mono } from '../../../kit/Mono.tsx';
import { counted } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../kit/Severity.tsx';
import { Timeline } from '../../../kit/Timeline.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { responseTexts, stateText } from '../../responses/responseTexts.ts';
import { kindTitle } from '../tabs/ArtifactsTab.tsx';
import { momentsOf, withoutArtifacts } from '../tabs/TimelineTab.tsx';
import { CaseFacts } from './CaseFacts.tsx';
import { CaseGuidance } from './CaseGuidance.tsx';
import { CaseHeader } from './CaseHeader.tsx';
import { StoryParagraph } from './CaseStory.tsx';
import { EvidenceList } from './Evidence.tsx';
import { NoteText } from './NoteText.tsx';
import { NoteVisibility } from './NoteVisibility.tsx';
import { TacticLanes } from './TacticLanes.tsx';

export interface ReportProps {
  detail: CaseDetail;
  timeZone: string;
}

const Paper = styled('div')({
  display: 'none',
  '@media print': { display: 'block' },
  '& h2': { margin: '20px 0 6px', fontSize: 16, lineHeight: '24px' },
  '& p': { margin: 0, whiteSpace: 'pre-line', overflowWrap: 'anywhere' },
  '& table': { width: '100%', borderCollapse: 'collapse', fontSize: 12 },
  '& th, & td': {
    padding: '4px 8px 4px 0',
    textAlign: 'left',
    verticalAlign: 'top',
    borderTop: '1px solid #ccc',
    overflowWrap: 'anywhere',
  },
  '& .muted': { fontSize: 12, color: '#555' },
});

export function CaseReport({ detail, timeZone }: ReportProps) {
  const { autonomousResponseData: data, caseGeneralInfo: info } = detail;
  const part = (title: string, isThere: boolean, content: ReactNode) =>
    isThere && (
      <section>
        <h2>{title}</h2>
        {content}
      </section>
    );
  return (
    <Paper>
      <CaseHeader detail={detail} />
      <CaseFacts detail={detail} timeZone={timeZone} isWhole />
      {part('Story', true, <StoryParagraph detail={detail} />)}
      {part('Attack steps', detail.story.steps.length > 0, <TacticLanes story={detail.story} timeZone={timeZone} />)}
      {part(
        'Evidence',
        detail.decisioning !== null,
        detail.decisioning && <EvidenceList decisioning={detail.decisioning} isWhole />,
      )}
      {part('What to check', detail.guidance.length > 0, <CaseGuidance guidance={detail.guidance} />)}
      {part(
        'Narratives',
        detail.caseNarrative.length > 0,
        detail.caseNarrative.map((narrative) => (
          <div key={narrative.id} style={{ marginBottom: 12 }}>
            <div className="muted">
              <VisibleText text={narrative.analystUserAccountFull.displayName} /> ·{' '}
              <AbsoluteTime at={narrative.startTime} timeZone={timeZone} />
            </div>
            <NoteText text={narrative.text} />
          </div>
        )),
      )}
      {part(
        info.alertCount > detail.alerts.length ? `Alerts (newest ${detail.alerts.length} of ${info.alertCount})` : 'Alerts',
        detail.alerts.length > 0,
        <table>
          <tbody>
            {detail.alerts.map((alert) => (
              <tr key={alert.id}>
                <td>
                  <SeverityLabel severity={alert.severity} />
                </td>
                <td>
                  <VisibleText text={alert.rule} />
                  <div className="muted">
                    <VisibleText text={[alert.deviceName, alert.userName].filter(Boolean).join(' · ')} />
                  </div>
                </td>
                <td>
                  <AbsoluteTime at={alert.createdTime} timeZone={timeZone} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>,
      )}
      {part(
        'Responses',
        detail.responses.length > 0,
        <table>
          <tbody>
            {detail.responses.map((response) => (
              <tr key={response.id}>
                <td>
                  {responseTexts(response.action).name} <VisibleText text={response.target} />
                </td>
                <td>{stateText[response.state].word}</td>
                <td>
                  <AbsoluteTime at={response.changedTime} timeZone={timeZone} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>,
      )}
      {part(
        'Tasks',
        data.caseTaskList.length > 0,
        <table>
          <tbody>
            {data.caseTaskList.map((task) => (
              <tr key={task.taskNumber}>
                <td>
                  <VisibleText text={task.task} />
                </td>
                <td>
                  <VisibleText text={task.device || 'All devices'} />
                </td>
                <td>
                  {task.isSent ? 'Sent' : 'Not sent'} <VisibleText text={task.result} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>,
      )}
      {part(
        'Artifacts',
        data.caseArtifacts.length > 0,
        <table>
          <tbody>
            {artifactKinds.flatMap((kind) =>
              data.caseArtifacts
                .filter((artifact) => artifact.kind === kind)
                .map((artifact) => (
                  <tr key={`${kind} ${artifact.value}`}>
                    <td>{kindTitle[kind]}</td>
                    <td>
                      <Mono text={artifact.value} />
                    </td>
                    <td>{artifact.reputation}</td>
                    <td>{counted(artifact.count, 'event')}</td>
                  </tr>
                )),
            )}
          </tbody>
        </table>,
      )}
      {part(
        'Timeline',
        data.caseArtifactsTimeline.length > 0,
        <Timeline moments={momentsOf(withoutArtifacts(data.caseArtifactsTimeline))} timeZone={timeZone} />,
      )}
      {part(
        'Notes',
        detail.analystCaseNotes.length > 0,
        detail.analystCaseNotes.map((note) => (
          <div key={note.id} style={{ marginBottom: 12 }}>
            <div className="muted">
              <VisibleText text={note.author} /> · <AbsoluteTime at={note.createdTime} timeZone={timeZone} />{' '}
              {detail.can.seeInternals && <NoteVisibility isInternal={note.isInternal} />}
            </div>
            <NoteText text={note.text} />
          </div>
        )),
      )}
    </Paper>
  );
}

/** The client's answer to an escalation, by the link of the mail (/emailCaseAction). Open to everybody: what was mailed decides. */
import CheckCircleOutlineRounded from '@mui/icons-material/CheckCircleOutlineRounded';
import ErrorOutlineRounded from '@mui/icons-material/ErrorOutlineRounded';
import Button from '@mui/material/Button';
import { keyframes, styled } from '@mui/material/styles';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { call } from '../../lib/call.ts';
import { caseLink } from '../../lib/caseLink.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Plain } from '../auth/parts/login.styles.tsx';
import { type AnswerState, createAnswer, pauseMs, texts } from './answer.ts';

const fill = keyframes({ from: { transform: 'scaleX(0)' }, to: { transform: 'scaleX(1)' } });
/** Where motion is not welcome it is a still line: the words say the same. */
const Pause = styled('div')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    height: 6,
    borderRadius: 3,
    overflow: 'hidden',
    backgroundColor: palette.action.selected,
    '& > i': { display: 'block', height: '100%', transformOrigin: 'left', backgroundColor: palette.primary.main },
    '@media (prefers-reduced-motion: no-preference)': { '& > i': { animation: `${fill} ${pauseMs}ms linear both` } },
  };
});
const Outcome = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'flex-start',
  gap: 10,
  '& > svg': { flex: 'none', marginTop: -1, color: (theme.vars ?? theme).palette.text.secondary },
  '& > svg[data-good=true]': { color: (theme.vars ?? theme).palette.success.main },
  '&& strong': { display: 'block', fontWeight: 600, color: (theme.vars ?? theme).palette.text.primary },
}));

/** One for as long as the page is loaded: the answer counts once, however often the page is drawn. */
let answer: ReturnType<typeof createAnswer> | undefined;
const theAnswer = () => {
  answer ??= createAnswer(caseLink(), {
    call,
    setTimer: (work, ms) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  });
  return answer;
};

const words: Record<string, { button: string; text: string }> = {
  benign: { button: 'Mark as benign', text: 'You answer that this activity was expected (benign).' },
  malicious: { button: 'Mark as malicious', text: 'You answer that this activity was not expected (malicious).' },
};

export function CaseAnswerPage() {
  useTitle('Your answer');
  const flow = theAnswer();
  const state = useSyncExternalStore(flow.subscribe, flow.state);
  useEffect(() => void flow.start(), [flow]);
  const { caseId, action } = caseLink();
  const said = words[action.toLowerCase()] ?? { button: 'Send the answer', text: 'You answer to this case.' };
  const isKnown = state.step !== 'missing';

  return (
    <AuthScreen title="Security operations, in one place" text="Your answer goes to the analysts who watch over your systems.">
      <Plain aria-labelledby="answer-title">
        <h1 id="answer-title">{isKnown ? `Case ${/^\d+$/.test(caseId) ? caseId : ''}`.trim() : 'Case'}</h1>
        {isKnown && <p>{said.text}</p>}
        <div role="status" aria-live="polite">
          <Said state={state} />
        </div>
        <Acts state={state} button={said.button} onSend={() => void flow.send()} onCancel={flow.cancel} />
      </Plain>
    </AuthScreen>
  );
}

function Said({ state }: { state: AnswerState }): ReactNode {
  switch (state.step) {
    case 'asking':
      return <p>One moment…</p>;
    case 'waiting':
      return <p>Nothing was sent yet. Press the button to send your answer.</p>;
    case 'counting':
      return <p>Your answer is sent in three seconds. Press Cancel if you did not mean to.</p>;
    case 'sending':
      return <p>Sending your answer…</p>;
    case 'done':
      return <Told isGood text={texts.updated} more="You can close this page." />;
    case 'missing':
      return <Told text={texts.missing} more="Open the link from the mail once more, whole and unchanged." />;
    case 'refused':
      return (
        <Told
          text={state.text}
          more={
            state.text === texts.onlyOne
              ? 'This case was answered before. Call your analysts, or answer the mail, if something has changed.'
              : 'The link is not valid any more, or was cut. Call your analysts, or answer the mail.'
          }
        />
      );
    case 'failed':
      return <Told text={state.text} more={state.detail} />;
  }
}

function Told({ text, more, isGood = false }: { text: string; more?: string | undefined; isGood?: boolean }) {
  const Icon = isGood ? CheckCircleOutlineRounded : ErrorOutlineRounded;
  return (
    <Outcome>
      <Icon aria-hidden data-good={isGood} />
      <p>
        <strong>{text}</strong>
        {more}
      </p>
    </Outcome>
  );
}

interface ActsProps {
  state: AnswerState;
  button: string;
  onSend: () => void;
  onCancel: () => void;
}

function Acts({ state: { step }, button, onSend, onCancel }: ActsProps) {
  const send = useRef<HTMLButtonElement>(null);
  const wasStopped = useRef(false);
  // Cancel goes with the press: whoever pressed it stands on what took its place.
  useEffect(() => {
    if (step === 'waiting' && wasStopped.current) send.current?.focus();
  }, [step]);
  if (step === 'counting') {
    return (
      <>
        <Pause aria-hidden>
          <i />
        </Pause>
        <Button
          variant="outlined"
          size="large"
          autoFocus
          onClick={() => {
            wasStopped.current = true;
            onCancel();
          }}
        >
          Cancel
        </Button>
      </>
    );
  }
  if (step === 'waiting' || step === 'failed' || step === 'sending') {
    return (
      <Button ref={send} variant="contained" size="large" loading={step === 'sending'} onClick={onSend}>
        {step === 'failed' ? 'Try again' : button}
      </Button>
    );
  }
  return null;
}

/** The client's answer to an escalation (/emailCaseAction). Public: the token of the emailed link authorises it. */
import Button from '@mui/material/Button';
import { keyframes, styled } from '@mui/material/styles';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { CheckCircleOutlineRounded } from '../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../kit/icons/ErrorOutlineRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { call } from '../../lib/call.ts';
import { caseLink } from '../../lib/caseLink.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Plain } from '../auth/parts/login.styles.tsx';
import { type AnswerState, createAnswer, pauseMs, texts } from './answer.ts';

const fill = keyframes({ from: { transform: 'scaleX(0)' }, to: { transform: 'scaleX(1)' } });
/** Countdown bar; static for users who prefer reduced motion. */
const Countdown = styled('div')({
  height: 6,
  borderRadius: 3,
  overflow: 'hidden',
  backgroundColor: palette.action.selected,
  '& > i': { display: 'block', height: '100%', transformOrigin: 'left', backgroundColor: palette.primary.main },
  '@media (prefers-reduced-motion: no-preference)': { '& > i': { animation: `${fill} ${pauseMs}ms linear both` } },
});
const Outcome = styled('div')({
  display: 'flex',
  alignItems: 'flex-start',
  gap: 10,
  '& > svg': { flex: 'none', marginTop: -1, color: palette.text.secondary },
  '& > svg[data-good=true]': { color: palette.success.main },
  '&& strong': { display: 'block', fontWeight: 600, color: palette.text.primary },
});

/** Lives until the page unloads, so that remounting never sends a second answer. */
let answer: ReturnType<typeof createAnswer> | undefined;
const currentAnswer = () => {
  answer ??= createAnswer(caseLink(), {
    call,
    setTimer: (work, ms) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  });
  return answer;
};

const actions: Record<string, { button: string; text: string }> = {
  benign: { button: 'Mark as benign', text: 'You confirm that this activity was expected (benign).' },
  malicious: { button: 'Mark as malicious', text: 'You confirm that this activity was not expected (malicious).' },
};

export function CaseAnswerPage() {
  useTitle('Your answer');
  const flow = currentAnswer();
  const state = useSyncExternalStore(flow.subscribe, flow.state);
  useEffect(() => void flow.start(), [flow]);
  const { caseId, action } = caseLink();
  const { button, text } = actions[action.toLowerCase()] ?? { button: 'Send answer', text: 'You respond to this case.' };
  const isKnown = state.step !== 'missing';

  return (
    <AuthScreen text="Your answer goes to the analysts who monitor your systems.">
      <Plain aria-labelledby="answer-title">
        <h1 id="answer-title">{isKnown ? `Case ${/^\d+$/.test(caseId) ? caseId : ''}`.trim() : 'Case'}</h1>
        {isKnown && <p>{text}</p>}
        <div role="status" aria-live="polite">
          <Progress state={state} />
        </div>
        <Buttons state={state} button={button} onSend={() => void flow.send()} onCancel={flow.cancel} />
      </Plain>
    </AuthScreen>
  );
}

function Progress({ state }: { state: AnswerState }): ReactNode {
  switch (state.step) {
    case 'loading':
      return <p>One moment…</p>;
    case 'waiting':
      return <p>Your answer hasn’t been sent yet. Press the button to send it.</p>;
    case 'counting':
      return <p>Your answer will be sent in 3 seconds. Press Cancel to stop it.</p>;
    case 'sending':
      return <p>Sending your answer…</p>;
    case 'done':
      return <OutcomeText isGood text={texts.updated} more="You can close this page." />;
    case 'missing':
      return <OutcomeText text={texts.missing} more="Open the link from the email again, complete and unchanged." />;
    case 'refused':
      return (
        <OutcomeText
          text={state.text}
          more={
            state.text === texts.onlyOne
              ? 'This case has already been answered. If something has changed, call your analysts or reply to the email.'
              : 'This link is invalid or has expired. Call your analysts or reply to the email.'
          }
        />
      );
    case 'failed':
      return <OutcomeText text={state.text} more={state.detail} />;
  }
}

function OutcomeText({ text, more, isGood = false }: { text: string; more?: string | undefined; isGood?: boolean }) {
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

interface ButtonsProps {
  state: AnswerState;
  button: string;
  onSend: () => void;
  onCancel: () => void;
}

function Buttons({ state: { step }, button, onSend, onCancel }: ButtonsProps) {
  const send = useRef<HTMLButtonElement>(null);
  const wasStopped = useRef(false);
  // Pressing Cancel removes the button, so the focus moves to its replacement.
  useEffect(() => {
    if (step === 'waiting' && wasStopped.current) send.current?.focus();
  }, [step]);
  if (step === 'counting') {
    return (
      <>
        <Countdown aria-hidden>
          <i />
        </Countdown>
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

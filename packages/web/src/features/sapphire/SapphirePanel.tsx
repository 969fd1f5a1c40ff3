/**
 * Sapphire’s pop-up (spec §2.2, §2.6): chat or training form, or a sign-in link for guests. Not modal; Escape closes it and restores the
 * focus. Loaded when first opened.
 */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { allClients } from '@parapet/contract/access.ts';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { CloseRounded } from '../../kit/icons/CloseRounded.tsx';
import { RestartAltRounded } from '../../kit/icons/RestartAltRounded.tsx';
import { SchoolOutlined } from '../../kit/icons/SchoolOutlined.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useUser } from '../../lib/useSession.ts';
import type { Shown } from './conversation.ts';
import { Chat } from './parts/Chat.tsx';
import { Body, Head, PopUp } from './parts/sapphire.styles.tsx';
import { TrainingForm } from './parts/TrainingForm.tsx';
import { useConversation } from './theConversation.ts';

/** Window width in px below which the panel covers most of the page. */
const coversBelow = 600;

interface Props {
  id: string;
  isOpen: boolean;
  onClose: () => void;
  /** Client and time zone of the page; undefined on pages without them. */
  shown: (Shown & { clientName: string }) | undefined;
  /** Called when an answer arrives unseen, and when it is seen. */
  onUnseenAnswer: (isNew: boolean) => void;
}

export function SapphirePanel(props: Props) {
  const user = useUser();
  return user?.role[0] ? <OfUser key={user.id} userID={user.id} {...props} /> : <OfGuest {...props} />;
}

interface FrameProps extends Pick<Props, 'id' | 'isOpen' | 'onClose'> {
  about?: ReactNode;
  buttons?: ReactNode;
  /** Element focused when the panel opens. Default: the panel. */
  focus?: () => HTMLElement | null;
  children: ReactNode;
}

function Frame({ id, isOpen, onClose, about, buttons, focus, children }: FrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const first = useRef(focus);
  useEffect(() => {
    if (!isOpen) return;
    // On touch devices the on-screen keyboard would cover the suggestions.
    const isTouched = matchMedia('(pointer: coarse)').matches;
    ((isTouched ? undefined : first.current?.()) ?? box.current)?.focus({ preventScroll: true });
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // Keeps an open side panel open.
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <PopUp
      ref={box}
      id={id}
      role="dialog"
      aria-labelledby={`${id}-title`}
      tabIndex={-1}
      data-open={isOpen}
      data-whole={focus !== undefined}
      onKeyDown={onKeyDown}
    >
      <Head>
        <div>
          <h2 id={`${id}-title`}>How can Sapphire help you today?</h2>
          {about && <p>{about}</p>}
        </div>
        {buttons}
        <IconButton size="small" aria-label="Close Sapphire" title="Close" onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </Head>
      {children}
    </PopUp>
  );
}

function OfUser({ userID, shown, onUnseenAnswer, ...frame }: Props & { userID: number }) {
  const { isOpen, onClose } = frame;
  const [state, conversation] = useConversation(userID, isOpen);
  const [isTraining, setTraining] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const answers = state.currentMessageID;
  const seen = useRef(answers);
  useEffect(() => {
    onUnseenAnswer(!isOpen && answers !== undefined && answers !== seen.current);
    if (isOpen) seen.current = answers;
  }, [isOpen, answers, onUnseenAnswer]);
  const isForm = isTraining && state.isTeacher;
  const close = () => {
    setTraining(false);
    requestAnimationFrame(() => input.current?.focus());
  };
  return (
    <Frame
      {...frame}
      focus={() => input.current}
      about={
        isForm ? (
          'Submit knowledge for review.'
        ) : (
          <>
            From the data of{' '}
            <VisibleText
              text={shown && shown.client !== allClients ? shown.clientName || 'your organisation' : 'all you may see'}
            />
          </>
        )
      }
      buttons={
        <>
          {state.isTeacher && (
            <IconButton
              size="small"
              aria-label="Training form"
              title="Teach Sapphire"
              aria-pressed={isForm}
              onClick={() => setTraining(!isTraining)}
            >
              <SchoolOutlined fontSize="small" color={isForm ? 'primary' : 'inherit'} />
            </IconButton>
          )}
          <IconButton
            size="small"
            aria-label="Clear chat"
            title="Clear chat"
            disabled={state.chatHistory.length === 0}
            onClick={() => {
              conversation.clear();
              close();
            }}
          >
            <RestartAltRounded fontSize="small" />
          </IconButton>
        </>
      }
    >
      {isForm ? (
        <TrainingForm teach={conversation.teach} onClose={close} />
      ) : (
        <Chat
          key={state.conversationID}
          state={state}
          conversation={conversation}
          shown={shown ?? { client: allClients }}
          input={input}
          onGo={() => {
            if (window.innerWidth < coversBelow) onClose();
          }}
        />
      )}
    </Frame>
  );
}

/** Shows a sign-in link and makes no calls. */
function OfGuest({ id, isOpen, onClose }: Props) {
  return (
    <Frame id={id} isOpen={isOpen} onClose={onClose}>
      <Body>
        <p style={{ marginTop: 0 }}>Sapphire answers from your organisation’s own data. Please sign in to ask a question.</p>
        <Button component={AppLink} href={paths.login()} variant="contained">
          Sign in
        </Button>
      </Body>
    </Frame>
  );
}

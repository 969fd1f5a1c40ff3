/** Chat: history, pending question and input. New replies are announced to screen readers. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import LinearProgress from '@mui/material/LinearProgress';
import { loadingPhraseMs, suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Announced, Hidden } from '../../../kit/Announced.tsx';
import { RefreshRounded } from '../../../kit/icons/RefreshRounded.tsx';
import { SendRounded } from '../../../kit/icons/SendRounded.tsx';
import { counted } from '../../../kit/numbers.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import type { ChatState, Conversation, Shown } from '../conversation.ts';
import type { Entry } from '../storedConversation.ts';
import { Answer, supportText } from './Answer.tsx';
import { AskForm, Body, History, Small, Suggestions } from './sapphire.styles.tsx';

const sending = 'Sending your question…';
const lookingUp = 'Looking it up…';

/** Current loading phrase, rotating while an answer is pending. */
function usePhrase({ loadingPhrases, responseLoading }: ChatState): string {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (!responseLoading) return;
    const timer = setInterval(() => setAt((before) => before + 1), loadingPhraseMs);
    return () => clearInterval(timer);
  }, [responseLoading]);
  return loadingPhrases[at % Math.max(loadingPhrases.length, 1)] ?? lookingUp;
}

/** Screen reader announcement of the pending question and new replies, without the history present when the panel opened. */
function useAnnouncement({ chatHistory, responseLoading, isQueued }: ChatState): string {
  const [first] = useState(chatHistory.at(-1)?.id);
  if (isQueued) return sending;
  if (responseLoading) return lookingUp;
  const last = chatHistory.at(-1);
  if (!last) return '';
  if (last.isUser) return last.fault ?? '';
  return last.id === first ? '' : spoken(last);
}

export function spoken({ text, answer, userFile }: Entry): string {
  const more = [
    ...(answer?.table ? [`a table of ${counted(answer.table.rows.length, 'row')}`] : []),
    ...(userFile ? ['a file'] : []),
    ...(answer?.sources.length ? [counted(answer.sources.length, 'source')] : []),
    ...(answer?.choices.length ? [counted(answer.choices.length, 'follow-up question')] : []),
  ];
  const spokenText = answer?.kind === 'support' ? supportText : visibleText(text.replace(/\s+/g, ' '));
  return more.length > 0 ? `${spokenText} With ${more.join(', ')}.` : spokenText;
}

interface Props {
  state: ChatState;
  conversation: Conversation;
  shown: Shown;
  input: RefObject<HTMLTextAreaElement | null>;
  onGo: () => void;
}

export function Chat({ state, conversation, shown, input, onGo }: Props) {
  const { chatHistory, responseLoading, isQueued } = state;
  const isBusy = responseLoading || isQueued;
  const [text, setText] = useState('');
  const body = useRef<HTMLDivElement>(null);
  const phrase = usePhrase(state);
  const announcement = useAnnouncement(state);

  // Scrolls the last question to the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the history’s length and the pending state change the layout.
  useLayoutEffect(() => {
    const box = body.current;
    const questions = box?.querySelectorAll<HTMLElement>('li[data-of=user]');
    const last = questions?.item(questions.length - 1);
    if (box && last) box.scrollTop = last.offsetTop - box.offsetTop - 16;
  }, [chatHistory.length, isBusy]);

  const ask = (question: string) => {
    setText('');
    void conversation.ask(question, shown);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!isBusy) ask(text);
  };
  const suggestions = (
    <Suggestions data-as={chatHistory.length > 0 ? 'line' : 'list'} aria-label="Suggested questions">
      {suggestedQuestions.map((question) => (
        <li key={question}>
          <button type="button" disabled={isBusy} onClick={() => conversation.suggest(question, shown)}>
            {question}
          </button>
        </li>
      ))}
    </Suggestions>
  );
  return (
    <>
      <Announced text={announcement} />
      <Body ref={body} tabIndex={0} role="region" aria-label="Conversation">
        {chatHistory.length === 0 ? (
          suggestions
        ) : (
          <History aria-label="Messages">
            {chatHistory.map((entry, index) =>
              entry.isUser ? (
                <li key={entry.id} data-of="user">
                  <p className="text">
                    <Hidden>You: </Hidden>
                    <VisibleText text={entry.text} keepLines />
                  </p>
                  {entry.fault !== undefined && (
                    <Small style={{ justifyContent: 'flex-end' }}>
                      <span>{entry.fault}</span>
                      <Button
                        size="small"
                        startIcon={<RefreshRounded />}
                        disabled={isBusy}
                        onClick={() => void conversation.again(entry, shown)}
                      >
                        Try again
                      </Button>
                    </Small>
                  )}
                </li>
              ) : (
                <li key={entry.id} data-of="answer">
                  <Hidden>Sapphire: </Hidden>
                  <Answer
                    entry={entry}
                    conversation={conversation}
                    onChoose={index === chatHistory.length - 1 && !isBusy ? ask : undefined}
                    onGo={onGo}
                  />
                </li>
              ),
            )}
            {isBusy && (
              <li data-of="answer" aria-hidden>
                <p className="quiet">
                  <VisibleText text={isQueued ? sending : phrase} />
                </p>
                <LinearProgress sx={{ height: 2, borderRadius: 1, maxWidth: 160 }} />
              </li>
            )}
          </History>
        )}
      </Body>
      {chatHistory.length > 0 && suggestions}
      <AskForm
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) ask(text);
        }}
      >
        <textarea
          ref={input}
          rows={1}
          aria-label="Your question"
          placeholder="Ask a question…"
          maxLength={20_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton type="submit" color="primary" aria-label="Send" disabled={isBusy || text.trim() === ''}>
          <SendRounded fontSize="small" />
        </IconButton>
      </AskForm>
    </>
  );
}

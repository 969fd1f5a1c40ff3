/** Conversation of the signed-in user: created when the panel first opens, ended with the session. */
import { useEffect } from 'react';
import { call } from '../../lib/call.ts';
import { conversations } from '../../lib/conversations.ts';
import { session } from '../../lib/session.ts';
import { useStore } from '../../lib/store.ts';
import { type ChatState, type Conversation, createConversation } from './conversation.ts';

let current: { userID: number; conversation: Conversation } | undefined;

session.subscribe(() => {
  const state = session.state();
  if (!current || state.status === 'checking' || (state.status === 'signedIn' && state.user.id === current.userID)) return;
  current.conversation.end();
  current = undefined;
});

export function conversationOf(userID: number): Conversation {
  if (current?.userID !== userID) {
    current?.conversation.end();
    const conversation = createConversation({
      userID,
      call,
      memory: conversations,
      setTimer: (work, ms) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
      timezoneOffset: () => new Date().getTimezoneOffset(),
    });
    current = { userID, conversation };
  }
  return current.conversation;
}

export function useConversation(userID: number, isOpen: boolean): [ChatState, Conversation] {
  const conversation = conversationOf(userID);
  useEffect(() => {
    if (isOpen) void conversation.prepare();
  }, [conversation, isOpen]);
  return [useStore({ subscribe: conversation.subscribe, get: conversation.state }), conversation];
}

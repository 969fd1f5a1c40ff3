/** Sapphire’s own texts: none of them comes from data, so the chat-link marker counts only here. */
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { listed, plain, quoted } from './skills/facts.ts';

/** Spec §8: the page replaces a reply with it by a prompt to contact live support. */
export const chatLinkMarker = '[chat-link]';
/** Removes the marker from others’ text, where it would become a button. */
export const withoutMarker = (text: string): string => text.replace(/\[\s*chat-link\s*\]/gi, '(chat link)');

export const loadingPhrases = [
  'Reading your question…',
  'Searching the alerts…',
  'Counting cases…',
  'Checking your devices…',
  'Following the evidence…',
  'Comparing with last month…',
  'Looking at the bigger picture…',
  'Putting it into words…',
];

export const supportText = `You can talk to a person: ${chatLinkMarker}`;
export const unknownText =
  'I can’t answer that. I can answer questions about what the portal’s lists show, summarise a case or a period, and explain how to use the portal.';
export const refusalText = (reason: string): string => `I can’t answer that: ${reason}.`;
export const commandText = (where: string): string => `I can’t make changes here, and nothing is changed. ${where}`;
/** After a question that was not understood, or was read by an earlier version. */
export const continuesNotText = 'The question before can’t be continued; ask the whole question.';
const namedWords = (words: readonly string[]): string => listed(words.slice(0, 5).map((word) => quoted(word, 60)));
export const leftText = (words: readonly string[]): string =>
  `I didn’t understand ${namedWords(words)}, so I give no answer. Put it in other words, or leave it out.`;
export const nearestText = (words: readonly string[]): string =>
  `Do you mean one of these questions? I didn’t understand ${namedWords(words)}.`;
export const greetingText =
  'Hello. Ask me about your cases, alerts, devices or risk; I answer from the portal’s data and link to the sources.';
export const otherClientText = (name: string, selected: string): string =>
  `I can’t answer that: ${plain(name, 200)} is not the selected client, and I only search ${plain(selected, 200)} now. Select it, or All, in the toolbar and ask again.`;
export const tooSlowText = 'I can’t answer that in time. Ask about a shorter time or one client.';
export const notFoundText = (text: string): string => `I can’t answer that: ${text} Check the number, or ask for a list.`;
export const usualChoices: readonly string[] = suggestedQuestions;

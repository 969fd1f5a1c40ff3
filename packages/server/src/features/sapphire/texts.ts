/** Sapphire’s own texts: none of them comes from data, so the chat-link marker counts only here. */
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { plain } from './skills/facts.ts';

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
  'I can’t answer that. I can answer questions about cases, alerts, devices, users, techniques, responses, risk, vulnerabilities and coverage, compare periods, summarise a week, and explain how to use this portal.';
export const greetingText =
  'Hello. Ask me about your cases, alerts, devices or risk; I answer from the portal’s data and link to the sources.';
export const unknownNameText = (name: string): string =>
  `I couldn’t find ${plain(name, 100)} among the organisations, devices, users and rules that you can access. Check the spelling, or ask without the name.`;
export const otherClientText = (name: string, selected: string): string =>
  `${plain(name, 200)} is not the selected client; I only search ${plain(selected, 200)} now. Select it, or All, in the toolbar and ask again.`;
export const tooSlowText = 'The query timed out. Ask about a shorter time or one client.';
export const notFoundText = (text: string): string => `${text} Check the number, or ask for a list.`;
export const usualChoices: readonly string[] = suggestedQuestions;

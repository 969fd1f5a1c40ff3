/** What Sapphire says of its own: nothing of it comes from data, so that the chat-link marker counts only here (decision 27). */
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { plain } from './skills/facts.ts';

/** Spec §8: the page replaces a reply with it by a prompt to contact live support. */
export const chatLinkMarker = '[chat-link]';
/** In other people's text it would be a button that nobody put there. */
export const withoutMarker = (text: string): string => text.replace(/\[\s*chat-link\s*\]/gi, '(chat link)');

export const loadingPhrases = [
  'Reading your question…',
  'Looking through the alerts…',
  'Counting cases…',
  'Checking what your devices say…',
  'Following the evidence…',
  'Comparing with last month…',
  'Looking at the bigger picture…',
  'Putting it into words…',
];

export const supportText = `You can talk to a person: ${chatLinkMarker}`;
export const unknownText =
  'I can’t answer that. I can answer questions about cases, alerts, devices, users, techniques, responses, risk, vulnerabilities and coverage, compare periods, sum up a week, and say how things are done in this portal.';
export const greetingText =
  'Hello. Ask me about your cases, alerts, devices or risk; I answer from the portal’s own data and say where it stands.';
export const unknownNameText = (name: string): string =>
  `I find nothing named ${plain(name, 100)} among the organisations, devices, users and rules that you may see. Check how it is written, or ask without it.`;
export const otherClientText = (name: string, selected: string): string =>
  `${plain(name, 200)} is not the selected client; I look only at ${plain(selected, 200)} now. Choose it, or All, in the toolbar and ask again.`;
export const tooSlowText = 'That took too long to look up. Ask for a shorter time or one client.';
export const notFoundText = (text: string): string => `${text} Check its number, or ask for a list.`;
export const usualChoices: readonly string[] = suggestedQuestions;

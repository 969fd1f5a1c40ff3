/** "What did Priya do today": entries of the audit log for a person of the portal, events for a user of the machines. */
import type { Vocabulary } from './vocabulary.ts';

const when =
  '(?= *[?.!]*$| (?:today|yesterday|tonight|overnight|lately|recently|this|last|on|in|since|over|during|at|between|after|before|the last|the past)\\b)';
const name = "((?!(?:we|you|they|i|it|he|she|the|our|your)\\b)[\\w\\\\.@'-]+(?: [\\w'-]+)?)";
const forms = [
  new RegExp(`^(?:so |and )?what (?:all )?(?:did|has|have) (?:user |analyst )?${name} (?:do|done|been doing)\\b${when}`, 'i'),
  new RegExp(
    `^(?:show me |show |list |give me |find )?(?:everything|anything|all|all of what|what)(?: that)? (?:the )?(?:user |analyst )?${name} (?:did|has done|was doing|has been doing)\\b${when}`,
    'i',
  ),
];

/** The question in words of the log that holds it; the same text if the name is of neither, or of both. */
export function doingsOf(text: string, { accounts, users }: Vocabulary): string {
  for (const form of forms) {
    const match = form.exec(text);
    if (!match) continue;
    const word = match[1]!.toLowerCase();
    const isAccount = accounts.some((each) => [each, ...each.split(' ')].some((part) => part.toLowerCase() === word));
    const isUser = users.some((each) => [each, each.split('@')[0]!].some((part) => part.toLowerCase() === word));
    if (isAccount !== isUser) return text.replace(form, `${isAccount ? 'audit entries' : 'events'} of ${match[1]!}`);
  }
  return text;
}

const people = '(?:we|you|they|(?:our|your|the) (?:team|analysts|soc|people))';
const habit = new RegExp(
  `\\bhow many (.+?) (?:do|does) ${people} (usually |normally |typically |generally |on average )?(open|raise|create|close)(?:d? (?:and|or) (open|close))?\\b`,
  'i',
);
const rate = /\b(?:per|in an?|an?|each|every) (hour|day|week|month)\b/i;

/** "How many cases do we open a week": those of each week, and no state. */
export function habitsOf(text: string): string {
  const [whole, noun, usual, ...verbs] = habit.exec(text) ?? [];
  const [each, unit] = rate.exec(text) ?? [];
  if (whole === undefined || each === undefined) return text;
  const parts = verbs.filter(Boolean).map((verb) => `how many ${noun}${/close/i.test(verb!) ? ' closed' : ''} per ${unit}`);
  return `${text.replace(each, '').replace(whole, parts.join(' and '))}${usual ? ' on average' : ''}`;
}

const compared = /^(so |and )?who(?:'s| is|s)?\b(.*?)\b([\w'-]+) or (?:is it )?([\w'-]+)[?.! ]*$/i;

/** "Who is noisier, Alder or Cedar": a client, where both names are of clients. */
export function withClientAsked(text: string, { clients }: Vocabulary): string {
  const [, before = '', middle = '', one, other] = compared.exec(text) ?? [];
  const isClient = (text: string) => clients.some(({ name: whole }) => whole.toLowerCase().split(' ')[0] === text.toLowerCase());
  if (!one || !other || !isClient(one) || !isClient(other)) return text;
  return `${before}which client has${middle.replace(/\b(?:noisier|busier|worse off|worse)\b/i, 'more alerts')}${one} or ${other}`;
}

/** Second half of the story: what was done about a case and what is open. */
import type { Response, StoryClause } from '@parapet/contract/caseDetail.ts';
import { closedAsText } from '@parapet/contract/rules/judgement.ts';
import { quote } from './quote.ts';
import { clause, timeText, type WorkFacts } from './story.facts.ts';

const maxResponses = 6;

const actions: Record<Response['action'], { done: string; order: string }> = {
  isolate: { done: 'was isolated from the network', order: 'isolate' },
  unisolate: { done: 'was reconnected to the network', order: 'reconnect' },
  blockUser: { done: 'was blocked from signing in', order: 'block' },
  unblockUser: { done: 'was allowed to sign in again', order: 'unblock' },
  block: { done: 'was blocked', order: 'block' },
  unblock: { done: 'was unblocked', order: 'unblock' },
  disable: { done: 'was blocked from signing in', order: 'disable' },
  reenable: { done: 'was allowed to sign in again', order: 'reenable' },
  killProcess: { done: 'was ended', order: 'end' },
  collectFile: { done: 'was copied for analysis', order: 'copy' },
  revokeSessions: { done: 'was signed out everywhere', order: 'sign out' },
  resetFactors: { done: 'lost its sign-in factors', order: 'reset the factors of' },
};

const openStates: Partial<Record<Response['state'], string>> = {
  requested: 'waits for approval',
  approved: 'waits to be carried out',
  sent: 'was sent and has no result yet',
  failed: 'failed',
  expired: 'expired without effect',
};

export const workClauses = (work: WorkFacts): StoryClause[] => [...doneOf(work), ...openOf(work)];

function doneOf({ responses, mailedAt, answeredAt, closedAt, resolution }: WorkFacts): StoryClause[] {
  const effective = responses.filter(({ state }) => openStates[state] === undefined);
  const lastMail = mailedAt.at(-1);
  const lastAnswer = answeredAt.at(-1);
  return [
    ...effective.slice(0, maxResponses).map((each) => clause('done', 'response', doneSentence(each), each.id)),
    ...furtherOf('done', effective.length, 'actions'),
    ...(effective.some(({ state }) => state !== 'released')
      ? []
      : [clause('done', 'responses', 'No response action is in effect.')]),
    ...(lastMail
      ? [
          clause(
            'done',
            'mail',
            mailedAt.length === 1
              ? `The client was emailed on ${timeText(lastMail)}.`
              : `The client was emailed ${mailedAt.length} times, last on ${timeText(lastMail)}.`,
          ),
        ]
      : []),
    ...(lastAnswer ? [clause('done', 'mail', `The client answered on ${timeText(lastAnswer)}.`)] : []),
    ...(closedAt
      ? [
          clause(
            'done',
            'timeline',
            `${['The case was closed', closedAsText(resolution), 'on'].filter(Boolean).join(' ')} ${timeText(closedAt)}.`,
          ),
        ]
      : []),
  ];
}

function doneSentence({ action, target, state, changedTime }: WorkFacts['responses'][number]): string {
  const { done, order } = actions[action];
  const at = timeText(new Date(changedTime));
  if (state === 'released') return `The request to ${order} ${quote(target)} was cancelled or undone on ${at}.`;
  return state === 'verified'
    ? `${quote(target)} ${done}, verified on ${at}.`
    : `${quote(target)} ${done} as reported on ${at}, which is not verified yet.`;
}

function openOf({ responses, unsentTasks, waitsUntil, closedAt, evidence, judgement }: WorkFacts): StoryClause[] {
  const pending = responses.filter(({ state }) => openStates[state] !== undefined);
  const open = [
    ...pending
      .slice(0, maxResponses)
      .map(({ id, action, target, state }) =>
        clause('open', 'response', `The request to ${actions[action].order} ${quote(target)} ${openStates[state]}.`, id),
      ),
    ...furtherOf('open', pending.length, 'requests'),
    ...(unsentTasks > 0
      ? [
          clause(
            'open',
            'tasks',
            `${unsentTasks} proposed response ${unsentTasks === 1 ? 'task has' : 'tasks have'} not been sent.`,
          ),
        ]
      : []),
    ...(waitsUntil && !closedAt ? [clause('open', 'mail', `The client’s answer is awaited until ${timeText(waitsUntil)}.`)] : []),
    ...(evidence.some(({ factor }) => factor === 'silence') && judgement.by === 'decisioning'
      ? [clause('open', 'verdict', 'A device sends no events, so later activity on it would be unseen.')]
      : []),
  ];
  if (open.length > 0) return open;
  return [clause('open', 'timeline', closedAt ? 'Nothing is left open.' : 'The investigation is still open.')];
}

const furtherOf = (part: 'done' | 'open', total: number, noun: string): StoryClause[] =>
  total > maxResponses ? [clause(part, 'responses', `${total - maxResponses} further ${noun} are listed.`)] : [];

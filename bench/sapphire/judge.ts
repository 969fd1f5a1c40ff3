/** Compares the parsed intent of a question with the expected one. */
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { personaOf } from '@parapet/world/personas.ts';
import { isOneOf, isUntilNow, periodsOf } from './periods.ts';
import { type Conversation, kindsOf, scopeOf, type Turn } from './questions.ts';

export interface EvaluatedTurn {
  conversation: Conversation;
  turn: Turn;
  now: number;
  timeZone: string;
}

export interface Reading {
  kind: SapphireAnswer['kind'];
  skill?: string;
  slots?: SapphireSlots;
}

/** Kind of an answer: a skill, or the fallback used. */
export const kindOf = ({ kind, skill }: Reading): string =>
  kind === 'answer' ? (skill ?? 'answer') : kind === 'question' ? 'unknown' : kind;

export const isSkillRight = ({ turn }: EvaluatedTurn, reading: Reading): boolean =>
  (kindsOf(turn) as string[]).includes(kindOf(reading));

/** Names of the slots that differ from the expectation. */
export function wrongSlots(evaluated: EvaluatedTurn, reading: Reading): string[] {
  // Without an answer there are no slots to check.
  if (reading.kind !== 'answer') return [];
  const read = reading.slots ?? {};
  const wanted = evaluated.turn.slots;
  const same = (name: string, isSame: boolean) => (isSame ? [] : [name]);
  return [
    ...same('timeframe', areTimesRight(evaluated, read, reading.skill)),
    ...same('clients', areClientsRight(evaluated, read.clients)),
    ...same('severities', isSameSet(read.severities, wanted.severities)),
    ...same('states', isSameSet(read.states, wanted.states)),
    ...same('device', isSameName(read.device, wanted.device)),
    ...same('user', accountOf(read.user) === accountOf(wanted.user)),
    ...same('rule', isSameName(read.rule, wanted.rule)),
    ...same('technique', isSameName(read.technique, wanted.technique)),
    ...same('cve', isSameName(read.cve, wanted.cve)),
    ...same('alertId', isSameName(read.alertId, wanted.alertId)),
    ...same('caseId', isSameName(read.caseId, wanted.caseId)),
    ...same('platform', read.platform === wanted.platform),
    ...same('deviceState', read.deviceState === wanted.deviceState),
    ...same('assigned', read.assigned === wanted.assigned),
    // Any sensible value is accepted for open slots.
    ...same('metric', wanted.metric === undefined || (read.metric ?? 'alerts') === wanted.metric),
    ...same('limit', wanted.limit === undefined || read.limit === wanted.limit),
    ...same('bucket', wanted.bucket === undefined || read.bucket === wanted.bucket),
  ];
}

function areTimesRight(
  { turn, conversation, now, timeZone }: EvaluatedTurn,
  read: SapphireSlots,
  skill: string | undefined,
): boolean {
  const periods = (word: string) => periodsOf(word, now, timeZone);
  const { timeframe, before } = turn.slots;
  const is = (range: SapphireSlots['timeframe'], word: string | undefined) =>
    word === undefined ? range === undefined : range !== undefined && isOneOf(range, periods(word), now);
  if (before !== undefined)
    return (
      (is(read.timeframe, timeframe) && is(read.before, before)) || (is(read.timeframe, before) && is(read.before, timeframe))
    );
  if (read.before !== undefined && skill !== 'compare.periods') return false;
  if (timeframe !== undefined) return is(read.timeframe, timeframe);
  // Without a time in the question: the selected timeframe, or the default of such a question, which ends now.
  return (
    read.timeframe === undefined ||
    isUntilNow(read.timeframe, now) ||
    isOneOf(read.timeframe, periods(conversation.timeframe ?? 'thisMonth'), now)
  );
}

function areClientsRight({ turn, conversation }: EvaluatedTurn, read: number[] = []): boolean {
  const scope = scopeOf(conversation.persona);
  const own = personaOf(conversation.persona).organisationId;
  const selected = conversation.client ?? (scope.length > 1 ? 0 : own);
  const { clients } = turn.slots;
  const isAll = read.length === 0 || isSameSet(read, [0]) || read.length >= scope.length - 1;
  if (clients === 'all') return selected === 0 ? isAll : isAll && read.length > 0;
  if (clients !== undefined) return isSameSet(read, clients) || (read.length === 0 && isSameSet([selected], clients));
  return read.length === 0 || (selected === 0 ? isAll : isSameSet(read, [selected]));
}

const isSameSet = <T>(read: readonly T[] = [], wanted: readonly T[] = []): boolean =>
  new Set(read).size === new Set(wanted).size && wanted.every((value) => read.includes(value));

const isSameName = (read: string | number | undefined, wanted: string | number | undefined): boolean =>
  String(read ?? '').toLowerCase() === String(wanted ?? '').toLowerCase();

/** Normalises accounts: ALDER\jdoe, jdoe@alder.example and jdoe are one person. */
export const accountOf = (user: string | undefined): string =>
  (user ?? '').toLowerCase().replace(/^.*\\/, '').replace(/@.*$/, '');

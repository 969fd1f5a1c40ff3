/** Answers a question: looks up names, parses the text, runs the skill, formats its facts as an answer. */
import { Problem } from '@parapet/contract/problem.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { defaultTimeframe, resolveTimeframe, type Timeframe as TimeframeWord } from '@parapet/contract/rules/timeframe.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import type { FoundKnowledge } from './knowledge.store.ts';
import type { Plan, Planner } from './model.ts';
import { type Facts, fileOf, listed, plain, type SkillContext, type SkillServices, when } from './skills/facts.ts';
import { type SkillEntry, skills } from './skills/skills.ts';
import { techniqueNames } from './techniques.ts';
import {
  greetingText,
  notFoundText,
  otherClientText,
  supportText,
  tooSlowText,
  unknownNameText,
  unknownText,
  usualChoices,
  withoutMarker,
} from './texts.ts';
import { nearOf } from './understanding/phrases.ts';
import type { Reading, Understood, Vocabulary } from './understanding/reading.ts';
import { findTimes, labelOf } from './understanding/times.ts';
import { comparison, mayNameThings, understand } from './understanding/understand.ts';
import { slotsFor } from './understanding/uses.ts';
import { findNames, listClients, listRuleTitles } from './vocabulary.store.ts';

export interface Question {
  actor: Actor;
  /** Restricted to the selected client. */
  scope: Scope;
  /** 0 for all clients in scope. */
  client: number;
  question: string;
  previous: Reading | undefined;
  /** The selected timeframe. */
  selected: string | undefined;
  timeZone: string;
  now: number;
}

export type Answer = Omit<SapphireAnswer, 'messageID'> & { reading: Reading | undefined };

interface AnsweringDeps {
  db: Database;
  log: Log;
  services: SkillServices;
  findKnowledge: (actor: Actor, question: string) => Promise<FoundKnowledge[]>;
  planner: Planner | undefined;
}

export function createAnswering({ db, log, services, findKnowledge, planner }: AnsweringDeps) {
  const lookUp = async ({ actor, scope, client, now, timeZone }: Question, text: string): Promise<Known> => {
    const whole = scopeOf(actor);
    const near = nearOf(text);
    return scoped(
      db,
      whole,
      async (tx) => {
        const all = await listClients(tx, whole);
        const isSelected = ({ id }: { id: number }) => client === 0 || id === client;
        const rules = await listRuleTitles(tx);
        const vocabulary: Vocabulary = {
          clients: all.filter(isSelected),
          otherClients: all.filter((each) => !isSelected(each)),
          ...(mayNameThings(text, now, timeZone) ? await findNames(tx, scope, near, new Date(now)) : { devices: [], users: [] }),
          rules: [...new Set(rules.map(({ title }) => title))],
          techniques: techniqueNames,
        };
        return { services, vocabulary, rules };
      },
      { readOnly: true },
    );
  };

  const bySkill = async (
    question: Question,
    { skill, slots }: Reading,
    known: Known,
  ): Promise<{ answer: Answer; facts?: Facts }> => {
    const context = skillContextOf(question, slots, known);
    const entry = skills[skill];
    const about = { understood: understoodText(entry, context), reading: { skill, slots } };
    try {
      const facts = await entry.answer(context);
      return { facts, answer: { ...shaped(facts), ...about } };
    } catch (error) {
      const expected = expectedErrorText(error);
      if (expected === undefined) throw error;
      return { answer: { ...textAnswer('unknown', expected, usualChoices), ...about } };
    }
  };

  /** Returns the model’s choice of a skill with names in scope; undefined for an invalid choice. */
  const planned = async (question: Question): Promise<{ reading: Reading; known: Known } | undefined> => {
    const plan = await planner?.plan(question.question);
    if (!plan) return undefined;
    const known = await lookUp(question, Object.values(plan.args).flat().map(String).join('\n'));
    const slots = resolved(plan, known.vocabulary, question);
    if (!slots) log.warn({ skill: plan.skill }, 'the language model used an unknown name; using the embedded answer');
    return slots && { reading: { skill: plan.skill, slots: slotsFor(plan.skill, slots) }, known };
  };

  const embedded = async (
    question: Question,
    understood: Understood,
    known: Known,
  ): Promise<{ answer: Answer; facts?: Facts }> => {
    const { timeZone, client, actor } = question;
    const isDoubtful = understood.kind !== 'reading' || understood.confidence < confidentScore;
    if (isDoubtful && understood.kind !== 'support' && understood.kind !== 'greeting') {
      const found = await findKnowledge(actor, question.question);
      const [best] = found;
      if (best && (understood.kind !== 'reading' || best.share + best.likeness >= 1.4))
        return { answer: fromKnowledge(found, actor.organisationId, timeZone) };
    }
    if (understood.kind === 'reading') return bySkill(question, understood.reading, known);
    return { answer: withoutSkill(understood, client === 0 ? '' : (known.vocabulary.clients[0]?.name ?? '')) };
  };

  return {
    async answer(question: Question): Promise<Answer> {
      const known = await lookUp(question, question.question);
      const { now, timeZone, previous } = question;
      const { vocabulary } = known;
      const understood = understand({
        text: question.question,
        vocabulary,
        now,
        timeZone,
        previous: previous && withinScope(previous, vocabulary),
      });
      // The embedded parser decides names and follow-ups: the model has neither the scope nor the conversation.
      const isOurs =
        !['reading', 'question', 'unknown'].includes(understood.kind) || (understood.kind === 'reading' && understood.isFollowUp);
      const plan = isOurs ? undefined : await planned(question);
      const { answer, facts } = plan
        ? await bySkill(question, plan.reading, plan.known)
        : await embedded(question, understood, known);
      if (!planner || !facts) return answer;
      const words = await planner.word(question.question, factsText(answer, facts));
      return words === undefined ? answer : { ...answer, sapphireEndpointResponse: words, writtenBy: 'model' };
    },
  };
}

/** Everything that a model may state: sentences, the parsed intent, sources and the displayed rows. */
const factsText = ({ sapphireEndpointResponse, understood, sources }: Answer, { table }: Facts): string =>
  [
    sapphireEndpointResponse,
    understood,
    ...sources.map(({ text, path }) => `${text}: ${path}`),
    ...(table
      ? [
          table.columns.join(' | '),
          ...table.rows.slice(0, 30).map(({ cells }) => cells.map((cell) => plain(String(cell ?? ''))).join(' | ')),
        ]
      : []),
  ].join('\n');

/** Converts the model’s arguments to slots: names in scope, valid times. Undefined if one is invalid. */
export function resolved(
  { skill, args }: Plan,
  { clients, devices, users, rules }: Vocabulary,
  { now, timeZone }: Pick<Question, 'now' | 'timeZone'>,
): SapphireSlots | undefined {
  const { clients: named, timeframe, before, device, user, rule, technique, cve, ...others } = args;
  const slots: SapphireSlots = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  const same = (names: readonly string[], name: string) => names.find((each) => each.toLowerCase() === name.toLowerCase());
  let isWhole = true;
  const take = <K extends keyof SapphireSlots>(name: K, value: SapphireSlots[K] | undefined) => {
    if (value === undefined) isWhole = false;
    else slots[name] = value;
  };
  for (const name of named ?? []) {
    const client = clients.find((each) => each.name.toLowerCase() === name.toLowerCase());
    take('clients', client && [...new Set([...(slots.clients ?? []), client.id])]);
  }
  if (timeframe !== undefined) take('timeframe', findTimes(timeframe, now, timeZone)[0]?.timeframe);
  if (before !== undefined) take('before', findTimes(before, now, timeZone)[0]?.timeframe);
  if (device !== undefined) take('device', same(devices, device));
  if (user !== undefined) take('user', same(users, user));
  if (rule !== undefined) take('rule', same(rules, rule));
  if (technique !== undefined) take('technique', techniqueNames.find(({ id }) => id === technique.toUpperCase())?.id);
  if (cve !== undefined) take('cve', /^CVE-\d{4}-\d{4,7}$/i.test(cve) ? cve.toUpperCase() : undefined);
  return isWhole ? (skill === 'compare.periods' ? comparison({ metric: 'alerts', ...slots }) : slots) : undefined;
}

/** Below this score, taught knowledge may fit better. */
const confidentScore = 0.75;

/** Returns the previous intent if its names are still in scope and belong to the selected client. */
function withinScope({ skill, slots }: Reading, { clients }: Vocabulary): Reading {
  const { clients: before, ...others } = slots;
  const kept = before?.filter((id) => clients.some((client) => client.id === id)) ?? [];
  return { skill, slots: { ...others, ...(kept.length > 0 && { clients: kept }) } };
}

interface Known {
  services: SkillServices;
  vocabulary: Vocabulary;
  rules: readonly { key: string; title: string }[];
}

export function skillContextOf(
  { actor, client, question, selected, timeZone, now }: Question,
  slots: SapphireSlots,
  { services, vocabulary, rules }: Known,
): SkillContext {
  const clients = slots.clients ?? [];
  const names = clients.map((id) => vocabulary.clients.find((each) => each.id === id)?.name ?? `organisation ${id}`);
  const word = (selected ?? defaultTimeframe) as TimeframeWord;
  return {
    actor,
    services,
    slots,
    question,
    ruleKeys: slots.rule === undefined ? [] : rules.filter(({ title }) => title === slots.rule).map(({ key }) => key),
    clients: clients.length > 0 ? clients : [client],
    whose:
      clients.length > 0
        ? listed(names.map((name) => plain(name)))
        : client === 0
          ? 'all your clients together'
          : plain(vocabulary.clients[0]?.name ?? 'your organisation'),
    timeframe: slots.timeframe ?? { ...resolveTimeframe(word, now, timeZone), label: labelOf(word) },
    hasOwnTime: slots.timeframe !== undefined,
    now,
    timeZone,
  };
}

const line = (text: string) => text.slice(0, 2_000);

export function understoodText({ title, isTimed, time }: SkillEntry, context: SkillContext): string {
  const { whose, timeframe, slots } = context;
  const parts = [
    slots.caseId === undefined ? '' : `case ${slots.caseId}`,
    slots.alertId === undefined ? '' : `alert ${slots.alertId}`,
    listed(slots.states ?? []),
    listed(slots.severities ?? []),
    slots.assigned === 'me' ? 'assigned to you' : slots.assigned === 'nobody' ? 'without an analyst' : '',
    slots.device ? `device ${plain(slots.device)}` : '',
    slots.user ? `user ${plain(slots.user)}` : '',
    slots.rule ? `rule ${plain(slots.rule)}` : '',
    slots.technique ?? '',
    slots.cve ?? '',
    slots.deviceState ?? '',
    slots.platform ?? '',
    whose,
    isTimed ? (time?.(context) ?? timeframe.label) : '',
    slots.before ? `against ${slots.before.label}` : '',
  ].filter(Boolean);
  return line(`${title}: ${parts.join(', ')}`);
}

export function shaped(facts: Facts): Omit<Answer, 'reading' | 'understood'> {
  return {
    sapphireEndpointResponse: withoutMarker(facts.text).slice(0, 20_000),
    userDataFile: fileOf(facts),
    kind: 'answer',
    sources: facts.sources
      .filter(({ path }) => path.length <= 2_000)
      .slice(0, 20)
      .map(({ text, path }) => ({ text: line(withoutMarker(text)), path })),
    table: facts.table ?? null,
    choices: facts.choices.slice(0, 6),
    writtenBy: 'portal',
  };
}

const textAnswer = (
  kind: Answer['kind'],
  text: string,
  choices: readonly string[] = [],
): Omit<Answer, 'understood' | 'reading'> => ({
  sapphireEndpointResponse: text,
  userDataFile: null,
  kind,
  sources: [],
  table: null,
  choices: choices.slice(0, 6).map(line),
  writtenBy: 'portal',
});

function withoutSkill(understood: Exclude<Understood, { kind: 'reading' }>, selected: string): Answer {
  const bare = { understood: '', reading: undefined };
  switch (understood.kind) {
    case 'support':
      return { ...textAnswer('support', supportText), ...bare };
    case 'greeting':
      return { ...textAnswer('answer', greetingText, usualChoices), ...bare };
    case 'question':
      return { ...textAnswer('question', withoutMarker(understood.text), understood.choices), ...bare };
    case 'unknownName':
      return { ...textAnswer('unknown', withoutMarker(unknownNameText(understood.name)), usualChoices), ...bare };
    case 'otherClient':
      return { ...textAnswer('unknown', withoutMarker(otherClientText(understood.name, selected)), []), ...bare };
    case 'unknown':
      return { ...textAnswer('unknown', unknownText, usualChoices), ...bare };
  }
}

const maxQuoted = 3_000;

/** Organisation that taught an entry, as far as the caller may see it. */
const teacherOf = ({ organisationId, organisation }: FoundKnowledge, own: number): string =>
  organisationId === own ? 'your organisation' : organisation === null ? 'your SOC' : plain(organisation);

function fromKnowledge(found: readonly FoundKnowledge[], own: number, timeZone: string): Answer {
  const [best, next] = found as [FoundKnowledge, FoundKnowledge?];
  const used = next && next.share + next.likeness >= best.share + best.likeness - 0.1 ? [best, next] : [best];
  const text = used
    .map(
      (entry) =>
        `From the knowledge of ${teacherOf(entry, own)} (${plain(entry.author) || 'unknown'}, ${when(entry.at.toISOString(), timeZone)}):\n${entry.text.slice(0, maxQuoted)}`,
    )
    .join('\n\n');
  return {
    ...textAnswer('knowledge', withoutMarker(text), usualChoices),
    understood: 'Submitted knowledge',
    reading: undefined,
  };
}

/** Returns the text for a skill that found nothing; undefined for an unexpected error. */
function expectedErrorText(error: unknown): string | undefined {
  if (isStatementTimeout(error)) return tooSlowText;
  if (!(error instanceof Problem)) return undefined;
  if (error.code === 'notFound') return notFoundText(error.message);
  if (error.code === 'forbidden' || error.code === 'invalid') return error.message;
  return error.code === 'unavailable' ? tooSlowText : undefined;
}

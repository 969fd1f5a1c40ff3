/** Answers a question: looks up names, parses the text, runs its queries and words their results. */
import { allClients } from '@parapet/contract/access.ts';
import type { Query, QueryEntity } from '@parapet/contract/rules/query.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, mayAs, scopeOf } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { findIndustryAverages } from '../../domain/industryAverages.ts';
import { checkQuery } from '../../domain/query/check.ts';
import { contextOf } from '../../domain/query/context.ts';
import { entitiesOf } from '../../domain/query/filters.ts';
import { queryText } from '../../domain/query/listed.ts';
import type { QueryContext } from '../../domain/query/schema.ts';
import { schemas } from '../../domain/query/schemas.ts';
import { factsOf, idsOf, namesOf } from './answers/answer.ts';
import { completed } from './answers/complete.ts';
import { describe } from './answers/describe.ts';
import {
  type Answer,
  clarification,
  commandAnswer,
  expectedErrorText,
  factsAnswer,
  knowledgeAnswer,
  offeredAs,
  offering,
  readByModel,
  textAnswer,
} from './answers/plain.ts';
import { type Part, readPart } from './answers/read.ts';
import type { FoundKnowledge } from './knowledge.store.ts';
import type { Planner } from './model.ts';
import { isBare } from './parsing/implied.ts';
import { prepareLearned } from './parsing/learned.ts';
import type { Lexicon } from './parsing/lexicon.ts';
import { parse } from './parsing/parse.ts';
import type { Parsed } from './parsing/parsed.ts';
import { stem, tidy, tokensOf } from './parsing/tokens.ts';
import { candidatesIn, type Vocabulary } from './parsing/vocabulary.ts';
import type { Previous } from './sapphire.store.ts';
import type { SkillServices } from './skills/facts.ts';
import { answerSkill } from './skills/skills.ts';
import { replaced, type Synonym } from './synonyms.ts';
import { techniqueNames } from './techniques.ts';
import {
  continuesNotText,
  greetingText,
  leftText,
  nearestText,
  otherClientText,
  refusalText,
  supportText,
  unknownText,
  usualChoices,
  withoutMarker,
} from './texts.ts';
import { findNames, findPeople, listClients, listRuleTitles, listTagNames } from './vocabulary.store.ts';

export interface Question {
  actor: Actor;
  /** Restricted to the selected client. */
  scope: Scope;
  /** 0 for all clients in scope. */
  client: number;
  question: string;
  /** The question before synonyms are replaced, if these changed it. */
  original?: string;
  previous: Previous | undefined;
  /** Of a button that an answer before offered with this text. */
  offered?: readonly Query[] | undefined;
  timeZone: string;
  now: number;
}

interface AnsweringDeps {
  db: Database;
  log: Log;
  services: SkillServices;
  findKnowledge: (actor: Actor, question: string) => Promise<FoundKnowledge[]>;
  findSynonyms: (actor: Actor, question: string, vocabulary: Vocabulary) => Promise<Synonym[]>;
  lexicon: Lexicon;
  planner: Planner | undefined;
}

const caseQuery = (number: number): Query => ({
  entity: 'case',
  measure: { kind: 'list' },
  where: { field: 'number', compare: '=', value: number },
});

/** From which share and likeness taught knowledge is taken before a refusal. */
const certain = 1.4;

const readIndustryAverages = async (db: Database, now: number): Promise<Record<string, number>> =>
  Object.fromEntries([...(await findIndustryAverages(db, now))].map(([industry, { average }]) => [industry, average]));

/** Words that concern an answer before. */
const referring = /\b(?:it|its|they|them|their|those|these|he|she|him|her|same|again|instead|others|that one|then)\b/i;

/** False for "criticals only" and the like, which may continue a question that was not understood. */
const namesEntity = (question: string, { phrases }: Lexicon): boolean =>
  tokensOf(tidy(question)).some(({ text }) =>
    phrases.get(stem(text))?.some(({ items }) => items.some(({ kind }) => kind === 'entity')),
  );

/** Reads the names that the text may contain. */
async function readVocabulary(
  db: Database,
  lexicon: Lexicon,
  { actor, scope, client, question, now }: Question,
): Promise<Vocabulary> {
  const whole = scopeOf(actor);
  const text = tidy(question);
  const near = candidatesIn(tokensOf(text), text, lexicon);
  const read = async (tx: Tx): Promise<Vocabulary> => {
    const all = await listClients(tx, whole);
    const isSelected = ({ id }: { id: number }) => client === allClients || id === client;
    return {
      clients: all.filter(isSelected),
      otherClients: all.filter((each) => !isSelected(each)),
      ...(await findNames(tx, scope, near, new Date(now))),
      rules: await listRuleTitles(tx),
      techniques: techniqueNames,
      tags: await listTagNames(tx, scope),
      accounts: await findPeople(tx, whole, near.doubtful, mayAs(actor, 'users:listRoles')),
    };
  };
  return scoped(db, whole, read, { readOnly: true });
}

/** Without questions that read what the viewer may not. */
export function shownTo(actor: Actor, offered: readonly Query[][]): Query[][] {
  const may = (entity: QueryEntity): boolean => {
    const { allow, ownAllow } = schemas[entity];
    return mayAs(actor, allow) || (ownAllow !== undefined && mayAs(actor, ownAllow));
  };
  return offered.filter((queries) => queries.every((query) => [...entitiesOf(query)].every(may)));
}

/** The queries of a button whose text is sent in another conversation. */
const namedButton = ({ actor, question }: Question, { clarify }: Parsed): Query[] | undefined =>
  clarify && offeredAs(question, shownTo(actor, clarify.queries));

/** Records that queries read events, as their search does: before they run, so that one that never ends is recorded too. */
async function recordEventReads(db: Database, { actor, scope, client }: Question, queries: readonly Query[]): Promise<void> {
  const reads = queries.flatMap((query) =>
    [...entitiesOf(query)].flatMap((entity) => {
      const action = entity === 'event' ? 'events.searched' : entity === 'rejected' ? 'events.keptAsideRead' : undefined;
      return action ? [{ action, query } as const] : [];
    }),
  );
  if (reads.length === 0) return;
  await scoped(db, scope, async (tx) => {
    for (const { action, query } of reads)
      await recordAudit(tx, actor, {
        action,
        organisationId: client || actor.organisationId,
        after: { client, ...(query.time && { start: query.time.start, end: query.time.end }), query: queryText(query) },
      });
  });
}

/** Runs queries and words their results. */
async function runQueries(db: Database, question: Question, wished: readonly Query[], vocabulary: Vocabulary): Promise<Answer> {
  const { actor, scope, client, now, timeZone } = question;
  const queries = wished.map((query) => completed(query, now));
  const context: QueryContext = {
    ...contextOf(actor, scope, { now, timeZone }),
    ...(queries.some(({ entity }) => entity === 'risk') && { industryAverages: await readIndustryAverages(db, now) }),
  };
  await recordEventReads(db, question, queries);
  const parts: Part[] = [];
  await scoped(
    db,
    scope,
    async (tx) => {
      for (const query of queries) parts.push(await readPart(tx, query, context));
    },
    { readOnly: true },
  );
  return {
    ...factsAnswer(
      factsOf(parts, { client, clients: vocabulary.clients, timeZone, may: (permission) => mayAs(actor, permission) }),
      queries.map(describe).join('; '),
    ),
    reading: { version: 2, queries: [...wished], ids: idsOf(parts), names: namesOf(parts) },
  };
}

export function createAnswering({ db, log, services, findKnowledge, findSynonyms, lexicon, planner }: AnsweringDeps) {
  const run = (question: Question, queries: readonly Query[], vocabulary: Vocabulary) =>
    runQueries(db, question, queries, vocabulary);

  /** Taught knowledge that fits at least so well. */
  const taught = async ({ actor, question, original, timeZone }: Question, least = 0): Promise<Answer | undefined> => {
    const found = await findKnowledge(actor, original ?? question);
    const [best] = found;
    return best && best.share + best.likeness >= least ? knowledgeAnswer(found, actor.organisationId, timeZone) : undefined;
  };

  const notUnderstood = async (question: Question, { left, nearest }: Parsed, vocabulary: Vocabulary): Promise<Answer> => {
    const known = await taught(question);
    if (known) return known;
    const plan = await planner?.plan({ ...question, vocabulary, lexicon });
    if (plan) return readByModel(await run(question, plan.queries, vocabulary), plan.words);
    const shown = shownTo(question.actor, nearest ?? []);
    if (shown.length > 0) return offering('unknown', withoutMarker(nearestText(left)), shown);
    const text = left.length === 0 ? unknownText : leftText(left);
    return textAnswer(
      'unknown',
      withoutMarker(typeof question.previous === 'string' ? `${text} ${continuesNotText}` : text),
      left.length === 0 ? usualChoices : [],
    );
  };

  const bySkill = async (question: Question, skill: NonNullable<Parsed['skill']>, vocabulary: Vocabulary): Promise<Answer> => {
    if (skill.name === 'support') return textAnswer('support', supportText);
    if (skill.name === 'greeting') return textAnswer('answer', greetingText, usualChoices);
    const answer = await answerSkill(skill, { ...question, services, vocabulary });
    if ('queries' in answer) return run(question, answer.queries, vocabulary);
    const { caseId } = skill.slots;
    // "Who is its analyst" continues from the case.
    const reading =
      caseId === undefined || answer.facts.isUnknown
        ? {}
        : { reading: { version: 2 as const, queries: [caseQuery(caseId)], ids: [String(caseId)], names: [] } };
    return (
      (answer.facts.isUnknown && (await taught(question))) || { ...factsAnswer(answer.facts, answer.understood), ...reading }
    );
  };

  const byParsed = async (question: Question, parsed: Parsed, vocabulary: Vocabulary): Promise<Answer> => {
    const { clarify, command, otherClient, queries, left, refused, skill } = parsed;
    if (refused) return (await taught(question, certain)) ?? textAnswer('unknown', refusalText(refused.text));
    if (otherClient !== undefined)
      return textAnswer('unknown', withoutMarker(otherClientText(otherClient, vocabulary.clients[0]?.name ?? '')));
    if (command) return commandAnswer(command, question.client);
    if (clarify) {
      const shown = shownTo(question.actor, clarify.queries);
      // The one reading is of what the viewer may not read.
      if (shown.length === 0 && clarify.queries.length > 0) return notUnderstood(question, parsed, vocabulary);
      return clarification({ ...clarify, queries: shown });
    }
    if (skill) return bySkill(question, skill, vocabulary);
    const fault = queries.map(checkQuery).find((each) => each !== undefined);
    if (fault !== undefined) log.warn({ fault }, 'a parsed query cannot run');
    const isAlone = namesEntity(question.question, lexicon) && !referring.test(question.question) && !queries.some(isBare);
    if (typeof question.previous === 'string' && queries.length > 0 && !isAlone)
      return offering('unknown', `I didn’t understand what that concerns. ${continuesNotText}`, [queries]);
    const isUnderstood = left.length === 0 && queries.length > 0 && fault === undefined;
    return isUnderstood ? run(question, queries, vocabulary) : notUnderstood(question, parsed, vocabulary);
  };

  return {
    async answer(input: Question): Promise<Answer> {
      const [vocabulary] = await Promise.all([readVocabulary(db, lexicon, input), prepareLearned()]);
      const synonyms = await findSynonyms(input.actor, input.question, vocabulary);
      const question = { ...input, question: replaced(input.question, synonyms), original: input.question };
      const { now, timeZone, previous } = question;
      const before = typeof previous === 'object' ? { previous: previous.queries, rows: previous } : { previous: [] };
      const parsed = parse({ text: question.question, lexicon, vocabulary, ...before, now, timeZone });
      try {
        // A button that an answer offered leads to the queries that it was worded from.
        if (input.offered?.every((query) => checkQuery(query) === undefined)) return await run(input, input.offered, vocabulary);
        const named = namedButton(question, parsed);
        return named ? await run(question, named, vocabulary) : await byParsed(question, parsed, vocabulary);
      } catch (error) {
        const expected = expectedErrorText(error);
        if (expected === undefined) throw error;
        return textAnswer('unknown', withoutMarker(expected), usualChoices);
      }
    },
  };
}

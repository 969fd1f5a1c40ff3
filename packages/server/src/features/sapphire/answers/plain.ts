/** Answers without a result: refusals, questions back, commands, knowledge. */
import { Problem } from '@parapet/contract/problem.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { isStatementTimeout } from '../../../core/db/scope.ts';
import type { FoundKnowledge } from '../knowledge.store.ts';
import type { Parsed } from '../parsing/parsed.ts';
import type { Offered, Reading } from '../sapphire.store.ts';
import { type Facts, fileOf, listed, plain, quoted, when } from '../skills/facts.ts';
import { commandText, notFoundText, tooSlowText, usualChoices, withoutMarker } from '../texts.ts';
import { questionsOf } from './describe.ts';

export type Answer = Omit<SapphireAnswer, 'messageID'> & { reading: Reading | undefined; offered?: readonly Offered[] };

export const line = (text: string): string => text.slice(0, 2_000);

export const textAnswer = (kind: Answer['kind'], text: string, choices: readonly string[] = []): Answer => ({
  sapphireEndpointResponse: text.slice(0, 20_000),
  userDataFile: null,
  kind,
  sources: [],
  table: null,
  chart: null,
  choices: choices.slice(0, 6).map(line),
  understood: '',
  writtenBy: 'portal',
  reading: undefined,
});

/** Text of a button. */
const textOf = (queries: readonly Query[]): string => line(questionsOf(queries));

/** The queries that a text is the button of. */
export const offeredAs = (text: string, questions: readonly Query[][]): Query[] | undefined =>
  questions.find((queries) => textOf(queries) === text.trim());

/** Questions as buttons: each leads to the queries that it was worded from. */
export function offering(kind: Answer['kind'], text: string, questions: readonly (readonly Query[])[]): Answer {
  const offered = new Map(questions.map((queries) => [textOf(queries), [...queries]]));
  return {
    ...textAnswer(kind, text, [...offered.keys()]),
    offered: [...offered].map(([question, queries]) => ({ text: question, queries })),
  };
}

export const factsAnswer = (facts: Facts, understood: string): Answer => ({
  ...textAnswer(facts.isUnknown ? 'unknown' : 'answer', withoutMarker(facts.text), facts.choices),
  userDataFile: fileOf(facts),
  sources: facts.sources
    .filter(({ path }) => path.length <= 2_000)
    .slice(0, 20)
    .map(({ text, path }) => ({ text: line(withoutMarker(text)), path })),
  table: facts.table ?? null,
  chart: facts.chart ?? null,
  understood: line(understood),
});

export function clarification({ phrase, choices, queries }: NonNullable<Parsed['clarify']>): Answer {
  if (queries.length > 0)
    return offering('question', `Do you mean ${queries.length === 1 ? 'this question' : 'one of these questions'}?`, queries);
  const what = `Do you mean ${choices.length === 1 ? 'this' : 'one of these'} by ${quoted(phrase, 100)}?`;
  return textAnswer('question', withoutMarker(what), choices);
}

/** Pages of commands are lists of a client. */
export const commandAnswer = ({ text, page }: NonNullable<Parsed['command']>, client: number): Answer => ({
  ...textAnswer('answer', commandText(text)),
  sources:
    page === undefined
      ? []
      : [{ text: 'The page for it', path: page === 'response' ? `/apps/response?client=${client}` : `/apps/${page}/${client}` }],
  understood: 'A change, which Sapphire does not make',
});

/** Says how the model read words that the portal lacks, before the answer. */
export const readByModel = (answer: Answer, words: readonly { said: string; means: string }[]): Answer => {
  const read = words.map(({ said, means }) => `${quoted(said, 60)} as ${plain(means, 60)}`);
  const text = read.length === 0 ? '' : `Read by the language model: ${listed(read)}.\n`;
  return { ...answer, writtenBy: 'model', sapphireEndpointResponse: withoutMarker(text) + answer.sapphireEndpointResponse };
};

const maxQuoted = 3_000;

/** Organisation that taught an entry, as far as the caller may see it. */
const teacherOf = ({ organisationId, organisation }: FoundKnowledge, own: number): string =>
  organisationId === own ? 'your organisation' : organisation === null ? 'your SOC' : plain(organisation);

export function knowledgeAnswer(found: readonly FoundKnowledge[], own: number, timeZone: string): Answer {
  const [best, next] = found as [FoundKnowledge, FoundKnowledge?];
  const used = next && next.share + next.likeness >= best.share + best.likeness - 0.1 ? [best, next] : [best];
  const text = used
    .map(
      (entry) =>
        `From the knowledge of ${teacherOf(entry, own)} (${plain(entry.author) || 'unknown'}, ${when(entry.at.toISOString(), timeZone)}):\n${entry.text.slice(0, maxQuoted)}`,
    )
    .join('\n\n');
  return { ...textAnswer('knowledge', withoutMarker(text), usualChoices), understood: 'Submitted knowledge' };
}

/** The text for a lookup that found nothing or took too long; undefined for an unexpected error. */
export function expectedErrorText(error: unknown): string | undefined {
  if (isStatementTimeout(error)) return tooSlowText;
  if (!(error instanceof Problem)) return undefined;
  if (error.code === 'notFound') return notFoundText(error.message);
  if (error.code === 'forbidden' || error.code === 'invalid') return `I can’t answer that: ${error.message}`;
  return error.code === 'unavailable' ? tooSlowText : undefined;
}

/** Skills beside the query language, all read-only. A summary is a list of queries. */
import { allClients } from '@parapet/contract/access.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Query, QueryTime } from '@parapet/contract/rules/query.ts';
import { type SapphireSkill, type SapphireSlots, sapphireSkills } from '@parapet/contract/rules/sapphire.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import type { Actor } from '../../../core/http/actor.ts';
import { labelOf } from '../parsing/calendar.ts';
import { before } from '../parsing/times.ts';
import type { Vocabulary } from '../parsing/vocabulary.ts';
import { explainAlert } from './alerts.one.ts';
import { summariseCase } from './cases.one.ts';
import { type Facts, listed, plain, type Skill, type SkillServices } from './facts.ts';
import { capabilities, howTo, installAgent } from './help.ts';
import { changeQueries, periodQueries } from './periods.ts';
import { improveRisk } from './risk.ts';

export interface SkillInput {
  actor: Actor;
  /** 0 for all clients in scope. */
  client: number;
  question: string;
  vocabulary: Vocabulary;
  services: SkillServices;
  timeZone: string;
  now: number;
}

const worded: Record<
  Exclude<SapphireSkill, 'period.summary' | 'changes.since'>,
  { title: string; isOwned: boolean; answer: Skill }
> = {
  'case.summarise': { title: 'Summary of a case', isOwned: true, answer: summariseCase },
  'alert.explain': { title: 'Explanation of an alert', isOwned: true, answer: explainAlert },
  'risk.improve': { title: 'Improvements of the risk score', isOwned: true, answer: improveRisk },
  'agent.install': { title: 'Installing the agent', isOwned: false, answer: installAgent },
  howto: { title: 'How to use the portal', isOwned: false, answer: howTo },
  capabilities: { title: 'Capabilities', isOwned: false, answer: capabilities },
};

/** Queries to run, or facts with what was understood. Throws for an unknown skill. */
export async function answerSkill(
  { name, slots }: { name: string; slots: SapphireSlots },
  input: SkillInput,
): Promise<{ queries: Query[] } | { facts: Facts; understood: string }> {
  const skill = sapphireSkills.find((each) => each === name);
  if (skill === undefined) throw new Error(`There is no skill ${name}.`);
  const { client, vocabulary, now, timeZone } = input;
  const clients = slots.clients ?? [];
  const names = clients.flatMap((id) => vocabulary.clients.filter((each) => each.id === id).map((each) => each.name));
  const where = names.length > 0 ? { field: 'client', in: names } : undefined;
  if (skill === 'changes.since') return { queries: changeQueries(slots.timeframe ?? lastDay(now), where) };
  if (skill === 'period.summary') {
    const time = slots.timeframe ?? { ...resolveTimeframe('thisWeek', now, timeZone), label: labelOf('thisWeek') };
    return { queries: periodQueries(time, before(time, now, timeZone), where) };
  }
  const { title, isOwned, answer } = worded[skill];
  const whose =
    names.length > 0
      ? listed(names.map((each) => plain(each)))
      : client === allClients
        ? 'all your clients together'
        : plain(vocabulary.clients[0]?.name ?? 'your organisation');
  const facts = await answer({ ...input, slots, clients: clients.length > 0 ? clients : [client], whose });
  const number = slots.caseId ?? slots.alertId;
  return { facts, understood: [title, ...(number === undefined ? [] : [number]), ...(isOwned ? [whose] : [])].join(', ') };
}

const lastDay = (now: number): QueryTime => ({
  start: new Date(now - dayMs).toISOString(),
  end: new Date(now).toISOString(),
  label: 'the last 24 hours',
});

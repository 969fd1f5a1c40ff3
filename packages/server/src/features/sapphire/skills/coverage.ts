/** Detection coverage: techniques with a rule and a live source, and those without. */
import type { MatrixTechnique } from '@parapet/contract/attack.ts';
import { counted, each, type Facts, inTime, listed, number, plain, rowsOf, type Skill, type SkillContext } from './facts.ts';
import { timedPath } from './links.ts';

type Cell = Omit<MatrixTechnique, 'subtechniques'>;

const words: Record<Cell['coverage'], string> = {
  seen: 'seen: it raised alerts',
  covered: 'covered: its rules have a live source',
  blind: 'blind: its rules have no live source',
  none: 'without a rule',
};

async function matrices(context: SkillContext) {
  const { start, end } = context.timeframe;
  return each(context, (client) => context.services.attack.matrix(context.actor, { client, start, end }, {}));
}

export const coverage: Skill = async (context): Promise<Facts> => {
  const answers = await matrices(context);
  const [answer] = answers;
  const [client = 0] = context.clients;
  const sources = context.clients.map((of) => ({ text: 'Attack indicators', path: timedPath('attack-indicators', of, context) }));
  const cells = cellsOf(answers);
  const wanted = context.slots.technique === undefined ? undefined : cells.get(context.slots.technique);
  if (wanted) return techniqueFacts(context, wanted, sources);
  const top = [...cells.values()].filter(({ id }) => !id.includes('.'));
  const blind = top.filter((cell) => cell.coverage === 'blind').sort((a, b) => b.rules - a.rules);
  const seenOrCovered = top.filter((cell) => cell.coverage === 'seen' || cell.coverage === 'covered').length;
  const missing = (answer?.sources ?? []).filter(({ isLive }) => !isLive);
  return {
    text: [
      `${number(seenOrCovered)} of ${number(top.length)} techniques can be seen now for ${context.whose}${blind.length === 0 ? ', none is blind.' : `; ${number(blind.length)} ${blind.length === 1 ? 'is' : 'are'} blind: there are rules for ${blind.length === 1 ? 'it' : 'them'}, but no source feeds those.`}`,
      ...(blind.length > 0
        ? [`Blind with the most rules: ${listed(blind.slice(0, 5).map(({ id, name }) => `${id} ${name}`))}.`]
        : []),
      ...(missing.length > 0 && answers.length === 1
        ? [
            `Sources that would help most: ${listed(missing.slice(0, 4).map(({ logSource, rules }) => `${plain(logSource)} (${counted(rules, 'rule')})`))}.`,
          ]
        : []),
    ].join('\n'),
    sources,
    ...rowsOf(
      ['Technique', 'Name', 'Coverage', 'Rules', 'Fed now', 'Alerts'],
      [...blind, ...top.filter((cell) => cell.coverage !== 'blind' && cell.coverage !== 'none')].map((cell) => ({
        cells: [cell.id, cell.name, cell.coverage, cell.rules, cell.liveRules, cell.count],
        path: timedPath('alerts', client, context, { technique: cell.id }),
      })),
      'coverage',
    ),
    choices: ['Which techniques are the most common?', 'How do I connect a new source?'],
  };
};
/** Across several organisations the worst coverage counts. */
const rank = ({ coverage }: Cell) => ['blind', 'none', 'covered', 'seen'].indexOf(coverage);

/** Merges the matrices of several organisations by technique. */
function cellsOf(answers: Awaited<ReturnType<typeof matrices>>): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { tactics } of answers)
    for (const { techniques } of tactics)
      for (const { subtechniques, ...technique } of techniques)
        for (const cell of [technique, ...subtechniques]) {
          const known = cells.get(cell.id);
          if (!known || rank(cell) < rank(known)) cells.set(cell.id, cell);
        }
  return cells;
}

function techniqueFacts(context: SkillContext, wanted: Cell, sources: Facts['sources']): Facts {
  return {
    text: [
      `${wanted.id} ${wanted.name} is ${words[wanted.coverage]}.`,
      `${wanted.rules === 0 ? 'No rule looks for it' : wanted.rules === 1 ? `1 rule looks for it and is ${wanted.liveRules === 1 ? '' : 'not '}fed now` : `${number(wanted.rules)} rules look for it, ${wanted.liveRules === 0 ? 'none' : number(wanted.liveRules)} of them fed now`}; ${counted(wanted.count, 'alert')} ${inTime(context.timeframe.label)} for ${context.whose}.`,
    ].join('\n'),
    sources: [
      ...context.clients.map((of) => ({
        text: `Alerts of ${wanted.id}`,
        path: timedPath('alerts', of, context, { technique: wanted.id }),
      })),
      ...sources,
    ],
    choices: ['What are our blind spots?', 'Which techniques are the most common?'],
  };
}

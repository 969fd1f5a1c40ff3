/** The best improvements of the risk score. The formulas are the contract’s. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { type Improvement, improvementsOf, type RiskInputs, riskOf, sumInputs } from '@parapet/contract/rules/risk.ts';
import { addressOf } from '../../../domain/query/entities/columns.ts';
import { counted, each, type Facts, number, plain, rowsOf, type Skill, type SkillContext, sentence } from './facts.ts';

const riskHref = (client: number) => addressOf('/apps/risk-score', { client });

async function read(context: SkillContext): Promise<{ inputs: RiskInputs; undone: string[] }> {
  const { actor, services, now } = context;
  const answers = await each(context, (client) =>
    services.risk.details(actor, client, new Date(now - dayMs).toISOString(), new Date(now + dayMs).toISOString()),
  );
  const inputs = sumInputs(
    answers.map(({ monitoredDevices, practices, caseRiskScores }) => {
      const sumOf = (status: string) => caseRiskScores.find((sum) => sum.status === status)?.riskScoreSum ?? 0;
      return {
        devices: monitoredDevices,
        checked: practices.filter(({ isChecked }) => isChecked).length,
        practices: practices.length,
        cases: {
          open: sumOf('open'),
          assigned: sumOf('assigned'),
          investigating: sumOf('investigating'),
          malicious: sumOf('malicious'),
        },
      };
    }),
  );
  const undone = bestPractices
    .map(({ id }) => id)
    .filter((id) => answers.some(({ practices }) => practices.some((practice) => practice.id === id && !practice.isChecked)));
  return { inputs, undone };
}

const practiceName = new Map(bestPractices.map(({ id, name }) => [id, name]));

function wordsOf({ change }: Improvement): string {
  if (change.kind === 'cases')
    return `close the ${change.status === 'investigating' ? 'cases under investigation' : `${change.status} cases`}`;
  if (change.kind !== 'practice') return `restore reporting of ${counted(change.count, `${change.kind}`)}`;
  return `implement the best practice “${practiceName.get(change.id) ?? change.id}”`;
}

export const improveRisk: Skill = async (context): Promise<Facts> => {
  const { inputs, undone } = await read(context);
  const now = riskOf(inputs);
  const improvements = improvementsOf(inputs, undone);
  const shown = improvements.slice(0, 10);
  const lines =
    shown.length === 0
      ? [`The risk score of ${context.whose} is ${number(now.tempScore)}; no single change would lower it.`]
      : [
          `The risk score of ${context.whose} is ${number(now.tempScore)} now. Top improvements:`,
          ...shown
            .slice(0, 5)
            .map((one, index) => `${index + 1}. ${sentence(wordsOf(one))}: ${number(one.tempScore)} (−${number(one.drop)}).`),
        ];
  return {
    text: lines.join('\n'),
    sources: context.clients.map((client) => ({ text: 'Risk score', path: riskHref(client) })),
    ...rowsOf(
      ['Change', 'New score', 'Reduction'],
      shown.map((one) => ({ cells: [plain(sentence(wordsOf(one)), 300), one.tempScore, one.drop] })),
      'lower-risk',
    ),
    choices: ['What is our risk score?', 'List the open cases', 'Which devices are silent?'],
  };
};

/** Text of a run: a line per case, then figures of all cases, of the locked third and the rest, and by family. */
import type { PlayedCase } from './play.ts';
import { type Played, type Score, scoreOf } from './score.ts';
import type { SentStory, Story } from './stories.ts';

export function lineOf(played: PlayedCase, withRules: boolean): string {
  const { label, name, isLocked, opened, alerts, verdict, confidence, probability } = played;
  const judged =
    opened === 0
      ? 'no case'
      : `${verdict}, confidence ${confidence ?? '–'}, probability ${probability === null ? '–' : probability.toFixed(3)}`;
  const rules = Object.entries(played.rules)
    .sort(([, a], [, b]) => b.criticality - a.criticality)
    .map(([title, rule]) => `\n      ${rule.criticality} ${title}${rule.alerts > 1 ? ` × ${rule.alerts}` : ''}`);
  const mark = isLocked ? ' (locked)' : '';
  return `${label.padEnd(9)} ${name}${mark}: ${opened} of ${alerts} alerts → ${judged}${withRules ? rules.join('') : ''}`.replace(
    `${opened} of ${alerts} alerts`,
    `${opened} ${opened === 1 ? 'case' : 'cases'} from ${alerts} ${alerts === 1 ? 'alert' : 'alerts'}`,
  );
}

const header =
  '| cases | malicious | found | Suspicious | no case | benign | Malicious | Suspicious | no case | Brier | calibration error |';
const rule = `|${'---|'.repeat(11)}`;

/** Totals of locked cases, without their names. */
export const totalsOf = (name: string, played: readonly Played[]): string =>
  ['', header, rule, rowOf(name, scoreOf(played))].join('\n');

export function reportOf(played: readonly PlayedCase[]): string {
  const families = [...new Set(played.map(({ family }) => family))].sort();
  const parts: [string, readonly Played[]][] = [
    ['all', played],
    ['locked third', played.filter(({ isLocked }) => isLocked)],
    ['rest', played.filter(({ isLocked }) => !isLocked)],
    ...families.map((family): [string, readonly Played[]] => [family, played.filter((each) => each.family === family)]),
  ];
  const rows = parts.map(([name, own]) => rowOf(name, scoreOf(own)));
  const all = scoreOf(played);
  const bins = all.bins.map(
    (bin) => `| ${bin.from.toFixed(1)} | ${bin.count} | ${bin.predicted.toFixed(2)} | ${bin.observed.toFixed(2)} |`,
  );
  return [
    '',
    header,
    rule,
    ...rows,
    '',
    `Malicious cases by verdict: ${countsOf(all.verdicts.malicious)}`,
    `Benign cases by verdict: ${countsOf(all.verdicts.benign)}`,
    '',
    '| probability from | cases | predicted | malicious |',
    '|---|---|---|---|',
    ...bins,
  ].join('\n');
}

const rowOf = (name: string, score: Score): string =>
  `| ${[
    name,
    score.malicious,
    share(score.found, score.malicious),
    score.suspicious,
    score.missed,
    score.benign,
    share(score.wrong, score.benign),
    score.doubted,
    score.quiet,
    score.brier?.toFixed(3) ?? '–',
    score.calibrationError?.toFixed(3) ?? '–',
  ].join(' | ')} |`;

const share = (count: number, total: number): string => (total === 0 ? '0' : `${count} (${((100 * count) / total).toFixed(1)}%)`);

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([verdict, count]) => `${verdict} ${count}`)
    .join(', ');

export const storyLinesOf = ({ label, name }: Story, { events, alerts, cases }: SentStory): string =>
  [
    `${label.padEnd(9)} ${name}: ${cases.length} ${cases.length === 1 ? 'case' : 'cases'} from ${alerts} alerts of ${events} events`,
    ...cases.map(
      (each) => `  ${each.verdict}, probability ${each.probability?.toFixed(3) ?? '–'}, ${each.alerts} alerts: ${each.title}`,
    ),
  ].join('\n');

/** Next steps derived from the figures, each with its reason; most urgent first. */

import type { Report } from '@parapet/contract/reports.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { type Facts, totalOf } from './reports.facts.ts';
import { counted, criticalityName, does, is, listed, number, typeName, was } from './reports.words.ts';

type Recommendation = Report['recommendations'][number];

const maxRecommendations = 8;
/** Maximum silent devices named. */
const maxNamed = 5;
/** Minimum share of all alerts and minimum count for a rule to be called noisy. */
const noisyShare = 0.3;
const noisyMinimum = 50;
/** Share of received events. */
const deadShare = 0.01;
const minDrop = 10;

type RecommendationRule = (facts: Facts) => Recommendation | undefined;

const exploited: RecommendationRule = ({ vulnerabilities }) =>
  vulnerabilities && vulnerabilities.knownExploited > 0
    ? {
        text: `Fix known exploited vulnerabilities first: ${listed(vulnerabilities.exploited, 3)}.`,
        why: `${counted(vulnerabilities.knownExploited, 'open vulnerability', 'open vulnerabilities')} ${is(vulnerabilities.knownExploited)} on the list of known exploited vulnerabilities.`,
      }
    : undefined;

const silent: RecommendationRule = ({ devices }) => {
  const lasting = devices.silences.filter(({ endedAt }) => endedAt === null);
  const quiet = devices.reporting.filter(({ total, reporting }) => total > reporting);
  const missing = quiet.reduce((sum, { total, reporting }) => sum + total - reporting, 0);
  if (missing === 0) return undefined;
  const named = lasting.map(({ name }) => name).slice(0, maxNamed);
  const others = missing - named.length;
  return {
    text:
      named.length > 0
        ? `Get ${listed(others > 0 ? [...named, counted(others, 'other device')] : named, named.length + 1)} to report again, or take ${Math.max(missing, named.length) === 1 ? 'it' : 'them'} out of service.`
        : `Find out why ${counted(missing, 'known device')} ${does(missing)} not report.`,
    why: `Silent devices can’t be monitored: ${listed(quiet.map(({ deviceType, total, reporting }) => `${number(total - reporting)} of ${number(total)} ${typeName(deviceType).toLowerCase()}${total === 1 ? '' : 's'}`))} did not report when this report was created.`,
  };
};

const noDevices: RecommendationRule = ({ devices }) =>
  devices.reporting.every(({ total }) => total === 0)
    ? {
        text: 'Connect the first devices: install the agent, or point a log shipper at the ingest address.',
        why: 'Without devices no attack can be detected, whatever the other figures show.',
      }
    : undefined;

const waiting: RecommendationRule = ({ cases }) =>
  cases.now.waiting > 0
    ? {
        text: `Respond to the ${counted(cases.now.waiting, 'case')} waiting for you.`,
        why: 'They stay open until you confirm whether the activity was expected.',
      }
    : undefined;

const old: RecommendationRule = ({ cases }) =>
  cases.now.oldAtEnd > 0
    ? {
        text: `Resolve the ${counted(cases.now.oldAtEnd, 'case')} open for more than 30 days.`,
        why: `${number(cases.now.oldAtEnd)} of ${counted(cases.now.openAtEnd, 'open case')} ${is(cases.now.oldAtEnd)} older than a month; each of them raises the risk score while it is open.`,
      }
    : undefined;

const targets: RecommendationRule = ({ times }) => {
  const missed = times.byCriticality.find(
    (row) =>
      (row.meanMinutesToAcknowledge ?? 0) > row.targetToAcknowledge || (row.meanMinutesToResolve ?? 0) > row.targetToResolve,
  );
  if (!missed) return undefined;
  const criticality = criticalityName(missed.criticality).toLowerCase();
  const isAcknowledging = (missed.meanMinutesToAcknowledge ?? 0) > missed.targetToAcknowledge;
  const [took, target] = isAcknowledging
    ? [missed.meanMinutesToAcknowledge!, missed.targetToAcknowledge]
    : [missed.meanMinutesToResolve!, missed.targetToResolve];
  return {
    text: `Review how quickly ${criticality} cases are ${isAcknowledging ? 'acknowledged' : 'closed'}.`,
    why: `${missed.cases === 1 ? 'It took' : 'On average it took'} ${durationText(took)} against a target of ${durationText(target)}; ${counted(missed.cases, `${criticality} case`)} ${was(missed.cases)} opened in the month.`,
  };
};

const noisy: RecommendationRule = ({ tops, alerts }) => {
  const [rule] = tops.topRules;
  const total = totalOf(alerts.now);
  if (!rule || rule.count < noisyMinimum || rule.count < noisyShare * total) return undefined;
  return {
    text: `Tune “${rule.name}” or suppress its known false positives.`,
    why: `It raised ${number(rule.count)} of ${counted(total, 'alert')} (${number((100 * rule.count) / total)}%), which obscures the others.`,
  };
};

const blind: RecommendationRule = ({ matrix }) => {
  const [source] = matrix.sources.filter(({ isLive }) => !isLive).toSorted((a, b) => b.rules - a.rules);
  return source
    ? {
        text: `Connect the log source “${source.logSource}”.`,
        why: `${counted(source.rules, 'rule')} ${source.rules === 1 ? 'reads' : 'read'} it, more than any other missing source, and nothing sends it now.`,
      }
    : undefined;
};

const dead: RecommendationRule = ({ balance: { now } }) =>
  now.dead > deadShare * now.received
    ? {
        text: 'Fix shippers that send unreadable events; these events are kept and can be processed afterwards.',
        why: `${number(now.dead)} of ${counted(now.received, 'received event')} could not be processed.`,
      }
    : undefined;

const risk: RecommendationRule = ({ risk: { improvements } }) => {
  const practice = improvements.find(({ change }) => change.kind === 'practice');
  const known = practice && bestPractices.find(({ id }) => practice.change.kind === 'practice' && id === practice.change.id);
  return practice && known && practice.drop >= minDrop
    ? {
        text: `${known.name}: put it into practice, or mark it as done in the portal.`,
        why: `${known.explanation} It would lower the risk score by ${number(practice.drop)}.`,
      }
    : undefined;
};

const recommendationRules: readonly RecommendationRule[] = [
  noDevices,
  exploited,
  waiting,
  silent,
  old,
  targets,
  blind,
  noisy,
  dead,
  risk,
];

export const recommendationsOf = (facts: Facts): Recommendation[] =>
  recommendationRules.flatMap((rule) => rule(facts) ?? []).slice(0, maxRecommendations);

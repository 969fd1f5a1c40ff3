/** Texts of searches of the past. */
import type { PastHitKind, PastSearch, PastSearchClient, PastSearchKind } from '@parapet/contract/pastSearches.ts';
import { counted, exact } from '../../kit/numbers.ts';
import { absoluteTime } from '../../kit/time.ts';

const termsOf: Record<PastSearchKind, string> = { indicators: 'indicator', rules: 'rule', exploited: 'vulnerability' };

export const termsText = ({ kind, terms }: PastSearch): string =>
  kind === 'exploited' && terms !== 1 ? `${exact(terms)} vulnerabilities` : counted(terms, termsOf[kind]);

export function stateText({ state, searched, clients, hits, failure }: PastSearch): string {
  if (state === 'waiting') return 'Waiting';
  if (state === 'running') return `Searching: ${exact(searched)} of ${counted(clients, 'client')}`;
  if (state === 'failed') return `Not completed. ${failure}`.trim();
  return hits === 0 ? 'Nothing found' : `${exact(hits)} found`;
}

const kindNames = { ip: 'addresses', domain: 'domains', hash: 'hashes', cve: 'vulnerability names' } as const;

/** Parts of a client that could not be searched, one sentence each. */
export function gapsOf(client: PastSearchClient, kind: PastSearchKind, timeZone: string): string[] {
  const { state, events, oldestTime, isPartial, archivedDays, missingKinds, scannedDevices, searchedTo } = client;
  const gaps: string[] = [];
  if (state === 'failed')
    gaps.push(`Not searched before ${absoluteTime(Date.parse(searchedTo), timeZone)}: the events could not be read.`);
  else if (state === 'done' && events === 0) gaps.push('It has no events in the range.');
  else if (state === 'done' && isPartial && oldestTime !== null)
    gaps.push(`Its events begin ${absoluteTime(Date.parse(oldestTime), timeZone)}.`);
  if (archivedDays > 0) gaps.push(`${counted(archivedDays, 'day')} in the archive, not brought back.`);
  if (missingKinds.length > 0) gaps.push(`No event has ${missingKinds.map((each) => kindNames[each]).join(' or ')}.`);
  if (kind === 'exploited' && scannedDevices === 0) gaps.push('No device’s packages are known.');
  return gaps;
}

const hitNames: Record<PastHitKind, string> = {
  ip: 'Address',
  domain: 'Domain',
  hash: 'Hash',
  cve: 'Named in events',
  finding: 'Affected devices',
  rule: 'Rule',
};
export const hitName = (kind: PastHitKind): string => hitNames[kind];

export const hitCount = ({ kind, count }: { kind: PastHitKind; count: number }): string =>
  counted(count, kind === 'rule' ? 'alert' : kind === 'finding' ? 'device' : 'event');

/** Devices: counts, states, and the riskiest ones. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { DeviceDetail } from '@parapet/contract/devices.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import {
  counted,
  each,
  type Facts,
  has,
  listed,
  number,
  ofThem,
  plain,
  rowsOf,
  type Skill,
  type SkillContext,
  sentence,
  when,
} from './facts.ts';
import { casePath, devicePath, path } from './links.ts';

const stateLabels = { reporting: 'reporting', silent: 'silent', stale: 'stale', isolated: 'isolated' } as const;

export const countDevices: Skill = async (context): Promise<Facts> => {
  const { deviceState } = context.slots;
  const { start, end } = resolveTimeframe('last30Days', context.now, context.timeZone);
  const state = deviceState === undefined || deviceState === 'isolated' ? [] : [deviceState];
  const read = (client: number, page: number, pageSize: number) =>
    context.services.devices.list(context.actor, client, start, end, { page, pageSize, text: '', type: [], state, tag: [] });
  const lists = await each(context, async (client) => {
    const first = await read(client, 1, 200);
    // Isolation is no state of the list: all pages are searched.
    for (let page = 2; deviceState === 'isolated' && first.results.length < first.total && page <= 10; page++)
      first.results.push(...(await read(client, page, 200)).results);
    return first;
  });
  const all = lists.flatMap(({ results }) => results);
  const found = deviceState === 'isolated' ? all.filter(({ isIsolated }) => isIsolated) : all;
  const total = deviceState === 'isolated' ? found.length : lists.reduce((sum, list) => sum + list.total, 0);
  const word = deviceState ? `${stateLabels[deviceState]} ` : '';
  const byType = Map.groupBy(found, ({ deviceType }) => deviceType);
  const isWhole = found.length === total;
  const reporting = found.filter(({ state }) => state === 'reporting').length;
  const lines = [
    `${context.whose} ${has(context)} ${total === 0 ? 'no' : number(total)} ${word}${total === 1 ? 'device' : 'devices'}.`,
    ...(isWhole && deviceState === undefined && total > 0
      ? [`${sentence(ofThem(reporting, total, 'reports', 'report'))} now.`]
      : []),
    ...(isWhole && byType.size > 1
      ? [
          `By type: ${[...byType].map(([type, some]) => `${some.length === 1 ? `1 ${typeLabel[type] ?? type}` : `${number(some.length)} ${typeLabels[type] ?? type}`}`).join(', ')}.`,
        ]
      : []),
    ...(deviceState !== undefined && total > 0
      ? [`${total > 5 ? 'Among them' : 'Namely'}: ${listed(found.slice(0, 5).map(({ name }) => plain(name)))}.`]
      : []),
  ];
  return {
    text: sentence(lines.join('\n')),
    sources: context.clients.map((client) => ({
      text: `${number(total)} ${word}${total === 1 ? 'device' : 'devices'}`,
      path: path(`/apps/devices/${client}`, { state }),
    })),
    ...rowsOf(
      ['Device', 'Type', 'State', 'Newest event', 'Isolated', 'Alerts, last 30 days', 'Client'],
      found.map((device) => ({
        cells: [
          device.name,
          typeLabels[device.deviceType] ?? device.deviceType,
          device.state,
          device.lastEventAt ? when(device.lastEventAt, context.timeZone) : null,
          device.isIsolated ? 'yes' : 'no',
          device.alertCount,
          device.clientOrganizationName,
        ],
        path: devicePath(device.clientOrganizationID, device.name),
      })),
      'devices',
    ),
    choices: ['Which devices are silent?', 'Which device is the biggest risk?', 'Which devices are isolated?'],
  };
};

const typeLabels: Record<string, string> = {
  server: 'servers',
  workstation: 'workstations',
  networkDevice: 'network devices',
  productivity: 'productivity suites',
  cloudPlatform: 'cloud platforms',
  cloudApp: 'cloud apps',
};
const typeLabel: Record<string, string> = Object.fromEntries(
  Object.entries(typeLabels).map(([type, words]) => [type, words.replace(/s$/, '')]),
);

/** Weights in a device’s risk: its open cases by status, its alerts of the last 30 days by severity. */
const statusWeights: Partial<Record<CaseRow['status'], number>> = { malicious: 4, investigating: 2, escalated: 2 };
const alertWeights: Record<string, number> = { critical: 20, high: 5, medium: 1, low: 0.1, informational: 0 };
const maxCandidates = 12;

interface Candidate {
  name: string;
  client: number;
  cases: CaseRow[];
}

export interface RiskyDevice extends Candidate {
  detail: DeviceDetail;
  points: number;
}

const pointsOf = (cases: readonly CaseRow[], detail: DeviceDetail): number =>
  cases.reduce((sum, { riskScore, status }) => sum + riskScore * (statusWeights[status] ?? 1), 0) +
  detail.severities.reduce((sum, { severity, count }) => sum + count * (alertWeights[severity] ?? 0), 0);

/** Returns the devices of open cases and those with the most recent alerts, weighted. */
export async function readRisky(context: SkillContext): Promise<RiskyDevice[]> {
  const { actor, services, now, timeZone } = context;
  const allTime = resolveTimeframe('allTime', now, timeZone);
  const recent = resolveTimeframe('last30Days', now, timeZone);
  const wanted = context.slots.device;
  const candidates = new Map<string, Candidate>();
  await each(context, async (client) => {
    const { results } = await services.cases.list(actor, {
      filters: {
        status: [...openStatuses],
        severity: [],
        verdict: [],
        analyst: [],
        text: '',
        ...(wanted !== undefined && { device: wanted }),
      },
      selectedClientOrganizationID: client,
      ...allTime,
      page: 1,
      pageSize: 200,
      sort: 'criticality',
      order: 'desc',
    });
    for (const row of results)
      for (const name of wanted === undefined ? row.deviceNames : [wanted]) {
        const key = `${row.clientOrganizationID} ${name}`;
        const known = candidates.get(key) ?? { name, client: row.clientOrganizationID, cases: [] };
        candidates.set(key, { ...known, cases: [...known.cases, row] });
      }
    const busiest =
      wanted === undefined
        ? (await services.dashboard.overview(actor, client, recent.start, recent.end)).topDevices.slice(0, 5)
        : [{ key: wanted }];
    for (const { key: name } of busiest)
      if (![...candidates.values()].some((candidate) => candidate.name === name))
        candidates.set(`${client} ${name}`, { name, client, cases: [] });
  });
  const weight = ({ cases }: Candidate) =>
    cases.reduce((sum, { riskScore, status }) => sum + riskScore * (statusWeights[status] ?? 1), 0);
  const risky: RiskyDevice[] = [];
  // Devices without a case come last; they are few.
  const ranked = [...candidates.values()].sort((a, b) => weight(b) - weight(a));
  const first = [
    ...ranked.filter(({ cases }) => cases.length > 0).slice(0, maxCandidates - 5),
    ...ranked.filter(({ cases }) => cases.length === 0).slice(0, 5),
  ];
  for (const candidate of first) {
    // A case may name a device without events.
    const detail = await services.devices.get(actor, candidate.client, candidate.name).catch(() => undefined);
    if (detail)
      risky.push({ ...candidate, client: detail.clientOrganizationID, detail, points: pointsOf(candidate.cases, detail) });
  }
  return risky.sort((a, b) => b.points - a.points || (a.name < b.name ? -1 : 1));
}

function reasonsOf({ cases, detail }: RiskyDevice): string[] {
  const worst = cases.filter(({ status }) => status === 'malicious');
  const serious = detail.severities.filter(
    ({ severity, count }) => count > 0 && severity !== 'informational' && severity !== 'low',
  );
  return [
    ...(cases.length > 0
      ? [
          cases.length === 1 && worst.length === 1
            ? 'it is in 1 open case, which is malicious'
            : `it is in ${counted(cases.length, 'open case')}${worst.length > 0 ? `, ${number(worst.length)} of them malicious` : ''}`,
        ]
      : []),
    ...(serious.length > 0
      ? [
          `it had ${listed(serious.map(({ severity, count }) => `${number(count)} ${severity}`))} ${serious.length === 1 && serious[0]?.count === 1 ? 'alert' : 'alerts'} in the last 30 days`,
        ]
      : []),
    ...(detail.isIsolated ? ['it is isolated'] : []),
    ...(detail.state === 'silent' || detail.state === 'stale' ? [`it is ${detail.state}`] : []),
  ];
}

export const riskiestDevice: Skill = async (context): Promise<Facts> => {
  const risky = (await readRisky(context)).filter(({ points }) => points > 0 || context.slots.device !== undefined);
  const [first] = risky;
  if (!first)
    return {
      text: context.slots.device
        ? `No data about ${plain(context.slots.device)} for ${context.whose}.`
        : `No device of ${context.whose} stands out: none is in an open case or had serious alerts in the last 30 days.`,
      sources: context.clients.map((client) => ({ text: 'Devices', path: path(`/apps/devices/${client}`) })),
      choices: ['How many devices do we have?'],
    };
  const reasons = reasonsOf(first);
  const shown = risky.slice(0, context.slots.limit ?? 10);
  const name = `${plain(first.name)} (${plain(first.detail.clientOrganizationName)})`;
  const lines = [
    context.slots.device
      ? `${name}: ${reasons.length > 0 ? reasons.join('; ') : 'no current risk factors'}.`
      : `The biggest risk for ${context.whose} is ${name}.`,
    ...(context.slots.device || reasons.length === 0 ? [] : [`Reasons: ${reasons.join('; ')}.`]),
    ...(shown.length > 1
      ? [
          `Then: ${shown
            .slice(1, 4)
            .map(({ name }) => plain(name))
            .join(', ')}.`,
        ]
      : []),
  ];
  return {
    text: lines.join('\n'),
    sources: [
      { text: `Device ${plain(first.name)}`, path: devicePath(first.client, first.name) },
      {
        text: `${counted(first.cases.length, 'open case')} with it`,
        path: path(`/apps/cases/${first.client}`, { timeframe: 'allTime', status: openStatuses, device: first.name }),
      },
      ...first.cases.slice(0, 3).map(({ id }) => ({ text: `Case ${id}`, path: casePath(id) })),
    ],
    ...rowsOf(
      ['Device', 'Client', 'Risk points', 'Open cases', 'Critical alerts', 'High alerts', 'State'],
      shown.map((device) => ({
        cells: [
          device.name,
          device.detail.clientOrganizationName,
          Math.round(device.points),
          device.cases.length,
          device.detail.severities.find(({ severity }) => severity === 'critical')?.count ?? 0,
          device.detail.severities.find(({ severity }) => severity === 'high')?.count ?? 0,
          device.detail.isIsolated ? 'isolated' : device.detail.state,
        ],
        path: devicePath(device.client, device.name),
      })),
      'riskiest-devices',
    ),
    choices: [
      ...(first.cases[0] ? [`Summarise case ${first.cases[0].id}`] : []),
      `Alerts on ${plain(first.name)} in the last 30 days`.slice(0, 200),
      `Is ${plain(first.name)} isolated?`.slice(0, 200),
    ],
  };
};

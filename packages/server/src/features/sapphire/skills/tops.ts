/**
 * Top rules, devices, users and techniques by alerts. Unfiltered ones come from the dashboard; filtered ones are counted
 * from the list.
 */
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import { alertFiltersOf, alertsPath } from './alerts.ts';
import {
  changeOf,
  counted,
  each,
  type Facts,
  inTime,
  listed,
  number,
  plain,
  rowsOf,
  type Skill,
  type SkillContext,
  sentence,
} from './facts.ts';
import { devicePath, timedPath } from './links.ts';

interface Counted {
  key: string;
  name: string;
  count: number;
  before?: number;
}
type Kind = 'rule' | 'device' | 'user';

const defaultLimit = 10;
const maxPages = 25;
const nouns: Record<Kind, string> = { rule: 'alert type', device: 'device', user: 'user' };

const isFiltered = ({ severities, device, user, rule, technique }: Partial<Record<keyof SapphireSlots, unknown>>): boolean =>
  [severities, device, user, rule, technique].some((slot) => slot !== undefined);

/** Merges equal entries of several organisations. */
function together(all: readonly Counted[]): Counted[] {
  const byKey = new Map<string, Counted>();
  for (const one of all) {
    const known = byKey.get(one.key);
    byKey.set(
      one.key,
      known ? { ...known, count: known.count + one.count, before: (known.before ?? 0) + (one.before ?? 0) } : one,
    );
  }
  return [...byKey.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

async function read(context: SkillContext, kind: Kind): Promise<{ tops: Counted[]; isPart: boolean }> {
  const { actor, services, timeframe, slots } = context;
  // A rule’s severity is that of its alerts, so the dashboard’s figures suffice.
  const isOfRules = kind === 'rule' && !isFiltered({ ...slots, severities: undefined });
  if (!isFiltered(slots) || isOfRules) {
    if (isOfRules && (slots.severities !== undefined || (slots.limit ?? defaultLimit) > defaultLimit)) {
      const answers = await each(context, (client) =>
        services.dashboard.alertsByType(actor, client, timeframe.start, timeframe.end),
      );
      const all = answers
        .flatMap(({ attackIndicators }) => attackIndicators)
        .filter(({ criticalityNumber }) => slots.severities?.includes(severityOf(criticalityNumber)) ?? true)
        .map(({ ruleID, rule, count }) => ({ key: ruleID, name: rule, count }));
      return { tops: together(all), isPart: false };
    }
    const answers = await each(context, (client) => services.dashboard.overview(actor, client, timeframe.start, timeframe.end));
    const all = answers.flatMap((answer) =>
      kind === 'rule' ? answer.topRules : kind === 'device' ? answer.topDevices : answer.topUsers,
    );
    return { tops: together(all), isPart: false };
  }
  return countFromList(context, kind);
}

const entityOf: Record<Kind, (row: AlertRow) => { key?: string; name: string | null }> = {
  rule: ({ ruleID, rule }) => ({ key: ruleID, name: rule }),
  device: ({ deviceName }) => ({ name: deviceName }),
  user: ({ userName }) => ({ name: userName }),
};

async function countFromList(context: SkillContext, kind: Kind): Promise<{ tops: Counted[]; isPart: boolean }> {
  const { actor, services, timeframe } = context;
  const query = { ...alertFiltersOf(context), sort: 'createdTime' as const, order: 'desc' as const, pageSize: 200 };
  const all: Counted[] = [];
  let total = 0;
  // The newest alerts of each organisation are a sufficient sample.
  for (const client of context.clients)
    for (let page = 1; page <= maxPages; page++) {
      const list = await services.alerts.list(actor, client, timeframe.start, timeframe.end, { ...query, page });
      if (page === 1) total += list.total;
      for (const row of list.results) {
        const { key, name } = entityOf[kind](row);
        if (name !== null) all.push({ key: key ?? name, name, count: 1 });
      }
      if (list.results.length < 200) break;
    }
  return { tops: together(all), isPart: total > 200 * maxPages };
}

const filterWords = ({ slots }: SkillContext): string =>
  [
    slots.severities ? `among ${listed(slots.severities, 'or')} alerts` : '',
    slots.device ? `on the device ${plain(slots.device)}` : '',
    slots.user ? `of the user ${plain(slots.user)}` : '',
    slots.rule ? `of the rule ${plain(slots.rule)}` : '',
    slots.technique ? `of the technique ${slots.technique}` : '',
  ]
    .filter(Boolean)
    .join(' ');

/** "Then: b (2), c (1)." for the entries after the first. */
const thenText = (others: readonly { label: string; count: number }[]): string[] =>
  others.length === 0
    ? []
    : [
        `Then: ${others
          .slice(0, 4)
          .map(({ label, count }) => `${label} (${number(count)})`)
          .join(', ')}.`,
      ];

function textOf(context: SkillContext, kind: Kind, [first, ...others]: readonly Counted[], isPart: boolean): string {
  const about = [`for ${context.whose}`, inTime(context.timeframe.label), filterWords(context)].filter(Boolean).join(' ');
  if (!first) return `There were no alerts ${about}${kind === 'rule' ? '' : ` with a ${nouns[kind]}`}.`;
  const label = kind === 'rule' ? 'most common alert type' : `${nouns[kind]} with the most alerts`;
  const change = first.before === undefined ? '' : ` (${changeOf(first.count, first.before)} compared with the previous period)`;
  return [
    `The ${label} ${about} is ${plain(first.name)}, with ${counted(first.count, 'alert')}${change}.`,
    ...thenText(others.map(({ name, count }) => ({ label: plain(name), count }))),
    ...(isPart ? ['Counted from the newest 5,000 matching alerts.'] : []),
  ].join('\n');
}

const choicesOf = (kind: Kind): string[] => [
  ...(kind === 'rule' ? [] : ['Which rules raise the most alerts?']),
  ...(kind === 'device' ? [] : ['Which devices have the most alerts?']),
  'And last month?',
  'List them',
];

const topOf =
  (kind: Kind): Skill =>
  async (context): Promise<Facts> => {
    const { tops, isPart } = await read(context, kind);
    const shown = tops.slice(0, context.slots.limit ?? defaultLimit);
    const [first] = shown;
    const [client = 0] = context.clients;
    const text = sentence(textOf(context, kind, shown, isPart));
    const drillDownOf = ({ key }: Counted, of = client) => alertsPath(context, of, { [kind]: key });
    const beforeOf = ({ before = 0 }: Counted): number[] => (first?.before === undefined ? [] : [before]);
    const rows = shown.map((top) => ({ cells: [top.name, top.count, ...beforeOf(top)], path: drillDownOf(top) }));
    const columns = [sentence(nouns[kind]), 'Alerts', ...(first?.before === undefined ? [] : ['Before'])];
    const table = rowsOf(columns, rows, `top-${kind}s`);
    if (!first)
      return { text, sources: [{ text: 'Alerts', path: alertsPath(context, client) }], ...table, choices: ['And last month?'] };
    const isOneDevice = kind === 'device' && client !== 0;
    return {
      text,
      sources: [
        ...context.clients.map((of) => ({ text: `Alerts of ${plain(first.name)}`, path: drillDownOf(first, of) })),
        ...(isOneDevice ? [{ text: `Device ${plain(first.name)}`, path: devicePath(client, first.key) }] : []),
        { text: 'Dashboard', path: timedPath('dashboard', client, context) },
      ],
      ...table,
      choices: choicesOf(kind),
    };
  };

export const topRules = topOf('rule');
export const topDevices = topOf('device');
export const topUsers = topOf('user');

export const topTechniques: Skill = async (context): Promise<Facts> => {
  const { start, end } = context.timeframe;
  const answers = await each(context, (client) => context.services.attack.matrix(context.actor, { client, start, end }, {}));
  const named = new Map<string, { id: string; name: string; count: number }>();
  for (const answer of answers) {
    // A technique is listed under each of its tactics but counts once.
    const own = new Map(answer.tactics.flatMap(({ techniques }) => techniques).map((technique) => [technique.id, technique]));
    for (const { id, name, count } of own.values()) named.set(id, { id, name, count: count + (named.get(id)?.count ?? 0) });
  }
  const tops = [...named.values()].filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
  const shown = tops.slice(0, context.slots.limit ?? defaultLimit);
  const [first, ...others] = shown;
  const about = `for ${context.whose} ${inTime(context.timeframe.label)}`;
  const [client = 0] = context.clients;
  return {
    text: first
      ? [
          `The most common technique ${about} is ${first.id} ${first.name}, with ${counted(first.count, 'alert')}.`,
          ...thenText(others.map(({ id, name, count }) => ({ label: `${id} ${name}`, count }))),
        ].join('\n')
      : `There were no alerts with a technique ${about}.`,
    sources: [
      ...(first
        ? context.clients.map((of) => ({
            text: `Alerts of ${first.id}`,
            path: timedPath('alerts', of, context, { technique: first.id }),
          }))
        : []),
      { text: 'Attack indicators', path: timedPath('attack-indicators', client, context) },
    ],
    ...rowsOf(
      ['Technique', 'Name', 'Alerts'],
      shown.map((top) => ({
        cells: [top.id, top.name, top.count],
        path: timedPath('alerts', client, context, { technique: top.id }),
      })),
      'top-techniques',
    ),
    choices: ['What are our blind spots?', 'And last month?', 'Which rules raise the most alerts?'],
  };
};

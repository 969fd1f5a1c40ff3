/** Skills about cases. Open ones are counted as of now, unless the question names a time: then those opened in it. */
import type { CaseFilters, CaseRow } from '@parapet/contract/caseList.ts';
import { isClosed, openStatuses, statusLabel } from '@parapet/contract/rules/cases.ts';
import { verdictOfState } from '@parapet/contract/rules/sapphire.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import {
  each,
  type Facts,
  has,
  inTime,
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
import { casePath, path, timeOf, wholeDays } from './links.ts';

/** True for states without a time: they mean now, regardless of the opening date. */
const isOfNow = ({ slots, hasOwnTime: isTimeSaid }: SkillContext): boolean =>
  !isTimeSaid &&
  ((slots.states ?? []).some((state) => state !== 'closed' && !verdictOfState[state]) || slots.assigned !== undefined);

export function caseTime(context: SkillContext) {
  if (!isOfNow(context)) return context.timeframe;
  return { ...resolveTimeframe('allTime', context.now, context.timeZone), label: 'now' };
}

/** Filters of the case list for a question. */
export function caseFiltersOf({ slots, actor }: SkillContext): CaseFilters {
  const states = slots.states ?? [];
  const status = [
    ...(states.includes('open') || (slots.assigned && states.length === 0) ? openStatuses : []),
    ...states.filter((state) => state === 'assigned' || state === 'investigating' || state === 'escalated'),
    ...(states.includes('closed') ? (['closed', 'escalated:closed'] as const) : []),
  ];
  return {
    status: [...new Set(status)],
    severity: [...(slots.severities ?? [])],
    verdict: states.flatMap((state) => verdictOfState[state] ?? []),
    analyst: slots.assigned === 'me' ? [actor.userId] : slots.assigned === 'nobody' ? [0] : [],
    device: slots.device,
    user: slots.user,
    text: '',
  };
}

/** Address of the case list with the same filters. */
export function casesPath(context: SkillContext, client: number): string {
  const { status, severity, verdict, analyst, device, user } = caseFiltersOf(context);
  const { query } = timeOf(caseTime(context), context.now, context.timeZone);
  return path(`/apps/cases/${client}`, { ...query, status, severity, verdict, analyst, device, user });
}

export async function readCases(context: SkillContext, pageSize: number) {
  const { start, end } = caseTime(context);
  const filters = caseFiltersOf(context);
  const lists = await each(context, (client) =>
    context.services.cases.list(context.actor, {
      filters,
      selectedClientOrganizationID: client,
      start,
      end,
      page: 1,
      pageSize,
      sort: 'createdTime',
      order: 'desc',
    }),
  );
  const rows = lists.flatMap(({ results }) => results).sort((a, b) => Date.parse(b.createdTime) - Date.parse(a.createdTime));
  return {
    rows,
    total: lists.reduce((sum, { total }) => sum + total, 0),
    isAtLeast: lists.some(({ totalIsAtLeast }) => totalIsAtLeast),
  };
}

/** "open critical cases", "cases without an analyst". */
export function casesNamed({ slots }: SkillContext, count: number): string {
  const states = slots.states ?? [];
  const words = [listed(states, 'or'), listed(slots.severities ?? [], 'or')].filter(Boolean).join(' ');
  const noun = count === 1 ? 'case' : 'cases';
  return [
    `${words ? `${words} ` : ''}${noun}`,
    slots.assigned === 'me' ? 'assigned to you' : slots.assigned === 'nobody' ? 'without an analyst' : '',
    slots.device ? `with the device ${plain(slots.device)}` : '',
    slots.user ? `with the user ${plain(slots.user)}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const timeWords = (context: SkillContext) => (isOfNow(context) ? 'now' : `opened ${inTime(context.timeframe.label)}`);
const caseRow = (row: CaseRow, { timeZone }: SkillContext) => ({
  cells: [
    row.id,
    row.title,
    statusLabel(row.status),
    row.criticality,
    row.clientOrganizationName,
    row.analyst,
    row.alertCount,
    when(row.createdTime, timeZone),
  ],
  path: casePath(row.id),
});
const caseColumns = ['Case', 'Title', 'Status', 'Criticality', 'Client', 'Analyst', 'Alerts', 'Opened'];

const sourcesOf = (context: SkillContext, total: number) =>
  context.clients.map((client) => ({
    text: `${number(total)} ${casesNamed(context, total)}${wholeDays(context)}`,
    path: casesPath(context, client),
  }));

export const countCases: Skill = async (context): Promise<Facts> => {
  const { total, isAtLeast, rows } = await readCases(context, 200);
  const count = `${isAtLeast ? 'at least ' : ''}${number(total)}`;
  const open = rows.filter(({ status }) => !isClosed(status));
  const byCriticality = (['critical', 'high', 'medium', 'low', 'informational'] as const)
    .map((criticality) => ({ criticality, count: rows.filter((row) => row.criticality === criticality).length }))
    .filter((each) => each.count > 0);
  const lines = [
    `${context.whose} ${has(context)} ${total === 0 ? 'no' : count} ${casesNamed(context, total)}${timeEnd(context)}.`,
    ...(total > 0 && total <= rows.length && byCriticality.length > 1
      ? [`By criticality: ${byCriticality.map((each) => `${number(each.count)} ${each.criticality}`).join(', ')}.`]
      : []),
    ...(total > 0 && total <= rows.length && !context.slots.states && open.length !== total
      ? [total === 1 ? 'It is now closed.' : `${sentence(ofThem(open.length, total, 'is', 'are'))} still open.`]
      : []),
  ];
  return {
    text: sentence(lines.join('\n')),
    sources: sourcesOf(context, total),
    choices: ['List them', 'Only critical', ...(context.hasOwnTime ? [] : ['And last month?'])],
  };
};

export const listCases: Skill = async (context): Promise<Facts> => {
  const { total, rows, isAtLeast } = await readCases(context, 200);
  const shown = context.slots.limit ? rows.slice(0, context.slots.limit) : rows;
  const lines =
    total === 0
      ? [`${context.whose} ${has(context)} no ${casesNamed(context, 0)}${timeEnd(context)}.`]
      : [
          `${isAtLeast ? 'At least ' : ''}${number(total)} ${casesNamed(context, total)} of ${context.whose}${timeEnd(context)}, newest first${shown.length < total ? ` (${number(shown.length)} listed)` : ''}:`,
          ...shown
            .slice(0, 5)
            .map(
              (row) =>
                `#${row.id} ${plain(row.title)}: ${statusLabel(row.status)}, ${row.criticality}, ${row.clientOrganizationName}.`,
            ),
          ...(shown.length > 5 ? ['The others are in the table.'] : []),
        ];
  return {
    text: sentence(lines.join('\n')),
    sources: [
      ...sourcesOf(context, total),
      ...shown.slice(0, 5).map((row) => ({ text: `Case ${row.id}`, path: casePath(row.id) })),
    ],
    ...rowsOf(
      caseColumns,
      shown.map((row) => caseRow(row, context)),
      'cases',
    ),
    choices: shown[0]
      ? [`Summarise case ${shown[0].id}`, 'Only critical', 'How many open cases do we have?']
      : ['How many open cases do we have?'],
  };
};

const timeEnd = (context: SkillContext) => ` ${timeWords(context)}`;

/** The result of a query as an answer: what was understood and the figure in the first line, then table, chart, file and links. */
import { dayMs, hourMs, weekMs } from '@parapet/contract/rules/duration.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import type { SapphireChart, SapphireSource } from '@parapet/contract/sapphire.ts';
import type { Cell as FileCell } from '../../../core/csv.ts';
import { countedSome, narrowed } from '../../../domain/query/filters.ts';
import type { Cell, QueryResult } from '../../../domain/query/result.ts';
import type { Attribute } from '../../../domain/query/schema.ts';
import { schemaOf } from '../../../domain/query/schemas.ts';
import { changeOf, counted, type Facts, number, plain, rowsOf, sentence, when } from '../skills/facts.ts';
import { amount, describe, nounOfDistinct, titleOf, valueWords, weekdayName } from './describe.ts';
import { countedRecords, type LinkContext, listPath } from './links.ts';
import type { Part } from './read.ts';

type Written = Pick<Facts, 'sources' | 'table' | 'rows' | 'fileName'> & { lines: string[]; chart?: SapphireChart };

const maxColumns = 8;
const maxKept = 200;
/** Rows that the text names. */
const few = 5;

/** One paragraph for each part; table, chart and file are of the first part that has them. */
export function factsOf(parts: readonly Part[], context: LinkContext): Facts & { chart: SapphireChart | null } {
  const written = parts.map((part) => write(part, context));
  const withTable = written.find(({ table }) => table !== undefined);
  return {
    text: written.map(({ lines }) => lines.join('\n')).join('\n'),
    sources: written.flatMap(({ sources }) => sources),
    ...(withTable && { table: withTable.table, rows: withTable.rows, fileName: withTable.fileName }),
    chart: written.find(({ chart }) => chart !== undefined)?.chart ?? null,
    choices: [],
  } as Facts & { chart: SapphireChart | null };
}

function write(part: Part, context: LinkContext): Written {
  const { query, result, begins } = part;
  const description = describe(query);
  if (begins !== undefined)
    return {
      lines: [`${description}: none kept. The data begins ${when(begins, context.timeZone).replace(/,[^,]*$/, '')}.`],
      sources: sourcesOf(query, result, context),
    };
  const groups = result.groups && groupsOf(query, result, result.groups, context);
  const rows = groups ?? rowsTable(query, result, context);
  return {
    lines: [
      `${description}: ${figureOf(query, result, context)}.`,
      ...(groups
        ? groupLines(query, result, context.timeZone)
        : isOneNamed(query) && query.show === undefined
          ? []
          : rowLines(query, result, context.timeZone)),
      ...noListLines(query, result, context),
    ],
    sources: sourcesOf(query, result, context),
    ...rows,
  };
}

/** A sentence for a figure whose records no link opens. */
function noListLines(query: Query, { total, rows }: QueryResult, context: LinkContext): string[] {
  if (total === 0) return [];
  const distinct = distinctOf(query);
  const path = listPath(query, context);
  if (distinct && (query.groupBy === undefined || query.limit === 1) && recordsPath(query, context) === undefined) {
    const link = path === undefined ? '' : `; the link opens the ${nounOf(query)[1]} that they occur in`;
    return [`No page of the portal lists exactly these ${distinct[1]}${link}.`];
  }
  if (path !== undefined) return [];
  const shown = rows.length === 0 ? '' : rows.length < total ? `; the first ${number(rows.length)} are here` : '; they are here';
  return [`No page of the portal lists exactly these ${nounOf(query)[1]}${shown}.`];
}

const distinctOf = (query: Query): readonly [string, string] | undefined =>
  query.measure.kind === 'count' && query.measure.distinct !== undefined
    ? nounOfDistinct(query, query.measure.distinct)
    : undefined;

/** The list of the records that are counted. */
const recordsPath = (query: Query, context: LinkContext): string | undefined => {
  const records = countedRecords(query);
  return records && listPath(records, context);
};

const isOneNamed = ({ measure, limit }: Query) => measure.kind === 'list' && limit === 1;

const nounOf = ({ entity }: Pick<Query, 'entity'>): readonly [string, string] => schemaOf(entity)?.title ?? [entity, entity];
const countOf = (query: Query, total: number): string => counted(total, ...nounOf(query));

/** The measure in words: "12", "12 of 48 (25%)", "yes, 3", "3 h 20 min over 12 cases". */
function figureOf(query: Query, result: QueryResult, context: LinkContext): string {
  const { measure } = query;
  const { against } = result;
  const own = ownFigure(query, result, context);
  if (!against) return own;
  const value = measured(result);
  const other = query.against?.average ? (against.value ?? null) : measured(against);
  const attribute = 'field' in measure ? schemaOf(query.entity)?.attributes[measure.field] : undefined;
  const words = (each: number | null) =>
    each === null ? 'no value' : measure.kind === 'share' ? `${number(tenth(each))}%` : amount(attribute, each);
  if (value === null || other === null) return `${own}, against ${words(other)}`;
  const place = value > other ? 'above' : value < other ? 'below' : 'equal to';
  return query.against?.average
    ? `${own}, against a mean of ${words(other)} over ${against.total} other clients${withOwn(query, value, other, against.total)}: ${place} it`
    : `${own}, against ${words(other)}: ${changeOf(value, other)}`;
}

/** "Client average" is read either way. */
const withOwn = ({ measure }: Query, value: number, other: number, clients: number): string =>
  measure.kind === 'count' || measure.kind === 'list'
    ? ` (${number(tenth((other * clients + value) / (clients + 1)))} with its own)`
    : '';

const perMs = { hour: hourMs, day: dayMs, week: weekMs } as const;
const tenth = (value: number): number => Math.round(value * 10) / 10;
const measured = ({ total, value }: { total: number; value?: number | null }): number | null =>
  value === undefined ? total : value;

/** The mean number in each length of time, or of each client or device. */
function meanNumber({ measure, time }: Query, { total, value, part = 0 }: QueryResult): string | undefined {
  if (measure.kind !== 'count' || !measure.per) return undefined;
  const { per } = measure;
  const isOfTime = per === 'hour' || per === 'day' || per === 'week';
  if (isOfTime && !time) return undefined;
  const count = isOfTime ? (Date.parse(time!.end) - Date.parse(time!.start)) / perMs[per] : part;
  const parts = counted(tenth(count), per, `${per}s`);
  if (count === 0) return `no value over ${parts}`;
  return `${number(tenth(isOfTime ? total / count : (value ?? 0)))} (${number(total)} ${isOfTime ? 'in' : 'over'} ${parts})`;
}

function ownFigure(query: Query, result: QueryResult, { timeZone }: LinkContext): string {
  const { measure, limit } = query;
  const { total, value, part = 0, rows, groups } = result;
  if (measure.kind === 'share')
    return total === 0 ? 'there are none' : `${number(part)} of ${number(total)} (${number(tenth(value ?? 0))}%)`;
  const mean = meanNumber(query, result);
  if (mean !== undefined) return mean;
  if (query.having) return number(result.groupTotal ?? 0);
  if (groups && limit === 1 && groups[0]) {
    const [first] = groups;
    return `${first.keys.map((key, index) => keyText(query, index, key, timeZone)).join(', ')} (${groupValue(query, first.value, total)})`;
  }
  const distinct = distinctOf(query);
  if (distinct) return `${counted(value ?? 0, ...distinct)} in ${countOf(query, total)}`;
  if ('field' in measure)
    return value === null || value === undefined
      ? `no value over ${countOf(query, total)}`
      : `${amount(schemaOf(query.entity)?.attributes[measure.field], value)} over ${countOf(query, total)}`;
  if (measure.kind === 'exists') return total === 0 ? 'no, there are none' : `yes, ${number(total)}`;
  if (isOneNamed(query) && rows[0])
    return `${[plain(rows[0].identity.name), ...orderValue(query, rows[0].cells, timeZone)].join(', ')} (${number(total)} in all)`;
  // A single score is the figure itself.
  const score = rows.length === 1 ? rows[0]?.cells.riskScore : undefined;
  if (query.entity === 'risk' && typeof score === 'number') return number(score);
  return number(total);
}

/** Value by which the only row was chosen: "40 alerts", "opened 3 March 2026". */
function orderValue(query: Query, cells: Record<string, Cell>, timeZone: string): string[] {
  const field = query.orderBy?.field;
  return field === undefined || cells[field] === undefined || cells[field] === null
    ? []
    : [saidCell(query, field, cells[field], timeZone)];
}

function saidCell(query: Query, field: string, cell: Cell, timeZone: string): string {
  const attribute = schemaOf(query.entity)?.attributes[field];
  const related = field === 'count' ? countedSome(query.where) : undefined;
  if (!attribute && related) return counted(Number(cell), ...nounOf({ entity: related.some }));
  const value = cellOf(attribute, cell, timeZone);
  return `${titleOf(query, field)} ${typeof value === 'string' ? plain(value, 100) : value === null ? 'none' : number(value)}`;
}

const saidFields = 3;
/** A few rows as lines: each name with the wished fields and its first columns. */
function rowLines(query: Query, { rows }: QueryResult, timeZone: string): string[] {
  if (rows.length === 0 || rows.length > few) return [];
  const named = schemaOf(query.entity)?.named ?? 'name';
  return rows.map(({ identity, cells }) => {
    const fields =
      (query.show && query.entity === 'risk' ? ['riskScore', ...query.show] : query.show) ??
      Object.keys(cells).filter((field) => field !== named && field !== 'client' && field !== 'partner');
    const shown = fields
      .filter((field) => cells[field] !== null && cells[field] !== undefined && cells[field] !== '')
      .slice(0, saidFields + (query.show?.length ?? 0));
    const values = shown.map((field) => saidCell(query, field, cells[field]!, timeZone));
    return `${plain(identity.name) || identity.id}${values.length > 0 ? `: ${values.join(', ')}` : ''}.`;
  });
}

function groupValue(query: Query, value: number, total: number): string {
  const { entity, measure } = query;
  const distinct = query.limit === 1 ? distinctOf(query) : undefined;
  if (distinct) return counted(value, ...distinct);
  if (measure.kind === 'share') return `${number(tenth(value))}%`;
  if ('field' in measure) return amount(schemaOf(entity)?.attributes[measure.field], value);
  return measure.kind === 'count' && measure.isShare ? `${number(value)} (${number(percentOf(value, total))}%)` : number(value);
}

const percentOf = (value: number, total: number): number => tenth((100 * value) / (total || 1));

function keyText({ entity, groupBy = [] }: Query, index: number, key: Cell, timeZone: string): string {
  const field = groupBy[index] ?? '';
  if (field === 'weekday') return weekdayName(Number(key));
  if (field === 'hour') return `${String(key).padStart(2, '0')}:00`;
  return key === null || key === '' ? 'none' : plain(String(cellOf(schemaOf(entity)?.attributes[field], key, timeZone)));
}

/** The first groups as a line. */
function groupLines(query: Query, { groups = [], groupTotal = 0, total }: QueryResult, timeZone: string): string[] {
  if (groups.length === 0 || query.limit === 1) return [];
  const shown = groups
    .slice(0, 7)
    .map(
      ({ keys, value }) =>
        `${keys.map((key, index) => keyText(query, index, key, timeZone)).join(', ')}: ${groupValue(query, value, total)}`,
    );
  const more = groupTotal - shown.length;
  return [`${shown.join('; ')}${more > 0 ? `; and ${number(more)} more` : ''}.`];
}

function groupsOf(query: Query, result: QueryResult, groups: NonNullable<QueryResult['groups']>, context: LinkContext) {
  const { groupBy = [] } = query;
  const others = new Map(result.against?.groups?.map(({ keys, value }) => [JSON.stringify(keys), value]));
  const heading =
    'field' in query.measure
      ? titleOf(query, query.measure.field)
      : query.measure.kind === 'share'
        ? 'share (%)'
        : (distinctOf(query) ?? nounOf(query))[1];
  const isShare = query.measure.kind === 'count' && query.measure.isShare === true;
  const columns = [
    ...groupBy.map((field) => titleOf(query, field)),
    heading,
    ...(isShare ? ['share (%)'] : []),
    ...(others.size > 0 ? ['compared'] : []),
  ].map(sentence);
  const rows = groups.map(({ keys, value }) => {
    const path = pathOfGroup(query, keys, context);
    return {
      cells: [
        ...keys.map((key, index) => keyText(query, index, key, context.timeZone)),
        tenth(value),
        ...(isShare ? [percentOf(value, result.total)] : []),
        ...(others.size > 0 ? [others.get(JSON.stringify(keys)) ?? 0] : []),
      ],
      ...(path !== undefined && { path }),
    };
  });
  const chart = chartOf(query, groups, context);
  return { ...rowsOf(columns.slice(0, maxColumns), rows, nounOf(query)[1].replaceAll(' ', '-')), ...(chart && { chart }) };
}

/** The list of one group; undefined where it is a bucket of time or has no value. */
function pathOfGroup(query: Query, keys: readonly Cell[], context: LinkContext): string | undefined {
  const { groupBy = [], entity } = query;
  const [field, key] = [groupBy[0] ?? '', keys[0]];
  if (
    groupBy.length !== 1 ||
    typeof key !== 'string' ||
    key === '' ||
    !schemaOf(entity)?.attributes[field] ||
    /^(?:day|week|month)$/.test(field)
  )
    return undefined;
  const { groupBy: _, ...group } = narrowed(query, { field, in: [key] });
  return recordsPath({ ...group, measure: query.measure.kind === 'count' ? query.measure : { kind: 'count' } }, context);
}

function chartOf(query: Query, groups: NonNullable<QueryResult['groups']>, { timeZone }: LinkContext): SapphireChart | undefined {
  const [field = '', second] = query.groupBy ?? [];
  const isOverTime = ['day', 'week', 'month'].includes(field);
  if (second !== undefined || groups.length < 2 || (!isOverTime && groups.length > 24)) return undefined;
  return {
    kind: isOverTime ? 'line' : 'bar',
    points: groups.map(({ keys, value }) => ({
      label: keyText(query, 0, keys[0] ?? null, timeZone).slice(0, 100),
      value: tenth(value),
    })),
  };
}

function rowsTable(query: Query, { rows }: QueryResult, { timeZone }: LinkContext) {
  const schema = schemaOf(query.entity);
  const [first] = rows;
  if (!schema || !first) return {};
  const wished = new Set([...(query.show ?? []), ...(query.orderBy ? [query.orderBy.field] : [])]);
  const fields = Object.keys(first.cells);
  const usual = fields.filter((field) => !wished.has(field)).slice(0, Math.max(1, maxColumns - wished.size));
  const columns = fields.filter((field) => usual.includes(field) || wished.has(field)).slice(0, maxColumns);
  return rowsOf(
    columns.map((field) => sentence(titleOf(query, field))),
    rows.map(({ identity, cells }) => {
      const path = schema.list?.path(identity);
      return {
        cells: columns.map((field) => cellOf(schema.attributes[field], cells[field] ?? null, timeZone)),
        ...(path && { path }),
      };
    }),
    nounOf(query)[1].replaceAll(' ', '-'),
  );
}

function cellOf(attribute: Attribute | undefined, cell: Cell, timeZone: string): FileCell {
  if (cell === null) return null;
  if (Array.isArray(cell)) return cell.join(', ');
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (attribute?.type === 'time' && typeof cell === 'string') return when(cell, timeZone);
  if (attribute?.type === 'number' && attribute.unit === 'minutes') return amount(attribute, Number(cell));
  if (attribute?.type === 'choice') return valueWords(attribute, String(cell));
  return typeof cell === 'number' ? tenth(cell) : String(cell);
}

/** The only group of an answer ("the most common rule"), as a filter of its records. */
function onlyGroup({ measure, groupBy = [], limit, entity }: Query, { groups }: QueryResult) {
  const [field] = groupBy;
  const [first] = groups ?? [];
  const key = first?.keys[0];
  if (limit !== 1 || measure.kind !== 'count' || groupBy.length !== 1 || field === undefined || !first) return undefined;
  const attribute = schemaOf(entity)?.attributes[field];
  if (typeof key !== 'string' || !attribute || attribute.type === 'number' || attribute.type === 'time') return undefined;
  return { value: first.value, filter: { field, in: [key] } };
}

function sourcesOf(query: Query, result: QueryResult, context: LinkContext): SapphireSource[] {
  const source = (text: string, path: string | undefined) => (path === undefined ? [] : [{ text, path }]);
  const { measure, against } = query;
  const schema = schemaOf(query.entity);
  const rows = result.rows.length <= few ? result.rows : [];
  const only = onlyGroup(query, result);
  const distinct = distinctOf(query);
  const countedText = (value: number) => (distinct ? counted(value, ...distinct) : countOf(query, value));
  return [
    ...(only ? source(countedText(only.value), recordsPath(narrowed(query, only.filter), context)) : []),
    ...(distinct && !query.groupBy ? source(countedText(result.value ?? 0), recordsPath(query, context)) : []),
    ...(measure.kind === 'share' ? source(countOf(query, result.part ?? 0), listPath(narrowed(query, measure.of), context)) : []),
    ...source(
      countOf(query, query.limit === undefined || result.groups ? result.total : Math.min(query.limit, result.total)),
      listPath(query, context),
    ),
    ...(against && !against.average && result.against
      ? source(`${countOf(query, result.against.total)} compared`, listPath({ ...query, ...against }, context))
      : []),
    ...rows.flatMap(({ identity }) => source(plain(identity.name) || identity.id, schema?.list?.path(identity))),
  ];
}

/** Identities of the listed rows, as far as they are kept in the conversation. */
export const idsOf = (parts: readonly Part[]): string[] =>
  parts.flatMap(({ result }) => result.rows.map(({ identity }) => identity.id)).slice(0, maxKept);
/** Names of the first rows or groups of the last one, for "that host". */
export const namesOf = (parts: readonly Part[]): string[] => {
  const { rows = [], groups } = parts.at(-1)?.result ?? {};
  const names = groups
    ? groups.map(({ keys: [key] }) => (typeof key === 'string' ? key : ''))
    : rows.map(({ identity }) => identity.name);
  return names.filter(Boolean).slice(0, few);
};

/** CSV files of new clients: from cells to the input of the call, with the errors of each row in the words of its columns. */
import { maxNewClients, type NewClient, newClient, newClientColumns, type PreviewRow } from '@parapet/contract/onboarding.ts';
import { subscriptionLevels } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type CsvRow, readCsv } from '@parapet/contract/rules/csvRecords.ts';
import { subscriptionLevelIds } from '@parapet/contract/rules/values.ts';

type Column = (typeof newClientColumns)[number];

/** Titles compare without case, spaces and punctuation. */
const keyOf = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const columns = new Map<string, Column>(newClientColumns.map((title) => [keyOf(title), title]));

/** Column of each part of the input. */
const columnOf: Readonly<Record<string, Column>> = {
  'general.name': 'Name',
  'general.subscriptionLevelID': 'Subscription level',
  'general.industry': 'Industry',
  'general.phoneNumber': 'Phone number',
  'general.emailAddress': 'Email',
  'general.websiteURL': 'Website',
  'general.addressData.street': 'Street',
  'general.addressData.suite': 'Suite',
  'general.addressData.city': 'City',
  'general.addressData.state': 'State',
  'general.addressData.zipCode': 'Postal code',
  'contact.name': 'Contact name',
  'contact.title': 'Contact title',
  'contact.phoneNumber': 'Contact phone number',
  'contact.emailAddress': 'Contact email',
  escalationEmailAddresses: 'Escalation emails',
  'administrator.firstName': 'Administrator first name',
  'administrator.lastName': 'Administrator last name',
  'administrator.emailAddress': 'Administrator email',
};

export interface ReadClients {
  rows: PreviewRow[];
  ignoredColumns: string[];
}

/** Throws invalid for a file without the column Name, with a column twice, without rows, or with too many. */
export function readClients(csv: string): ReadClients {
  const [header, ...lines] = readCsv(csv);
  if (!header) throw refused('The file is empty.');
  const titles = header.cells.map((title) => columns.get(keyOf(title)));
  const twice = titles.find((title, index) => title !== undefined && titles.indexOf(title) !== index);
  if (twice !== undefined) throw refused(`The column ${twice} occurs twice.`);
  if (!titles.includes('Name')) throw refused('The first row must name the columns, with at least Name.');
  if (lines.length === 0) throw refused('The file has no rows below the column names.');
  if (lines.length > maxNewClients) throw refused(`The file has ${lines.length} clients. Import up to ${maxNewClients} at once.`);
  const ignoredColumns = header.cells.filter((title, index) => titles[index] === undefined && title.trim() !== '');
  return {
    rows: lines.map((line) => rowOf(line, titles)),
    ignoredColumns: ignoredColumns.slice(0, 100).map((title) => title.trim().slice(0, 200)),
  };
}

const refused = (text: string) => problem.invalid({ csv: [text] });

function rowOf({ line, cells }: CsvRow, titles: readonly (Column | undefined)[]): PreviewRow {
  const cell = (column: Column): string => (cells[titles.indexOf(column)] ?? '').trim();
  const name = cell('Name').slice(0, 200);
  const errors: string[] = [];
  if (cells.length > titles.length)
    errors.push(`The row has ${cells.length} cells, but the header names ${titles.length} columns.`);
  const level = levelOf(cell('Subscription level'));
  if (level === undefined)
    errors.push(
      `Subscription level: “${cell('Subscription level').slice(0, 40)}” is none of ${subscriptionLevels.map((each) => each.name).join(', ')}.`,
    );
  const parsed = newClient.safeParse(inputOf(cell, level ?? subscriptionLevelIds.monitor));
  if (!parsed.success) errors.push(...parsed.error.issues.map(({ path, message }) => `${titleOf(path)}: ${message}`));
  return {
    line,
    name,
    client: errors.length === 0 ? (parsed.data as NewClient) : null,
    errors: errors.slice(0, 40),
    warnings: [],
  };
}

function titleOf(path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string');
  return columnOf[names.join('.')] ?? String(names.at(-1) ?? 'Row');
}

function levelOf(text: string): number | undefined {
  if (text === '') return subscriptionLevelIds.monitor;
  // Keyboards have x in place of ×.
  const key = (name: string) => keyOf(name.replaceAll('×', 'x'));
  return subscriptionLevels.find(({ id, name }) => key(name) === key(text) || String(id) === text)?.id;
}

function inputOf(cell: (column: Column) => string, subscriptionLevelID: number): unknown {
  const anyOf = (...names: Column[]) => names.some((column) => cell(column) !== '');
  return {
    general: {
      name: cell('Name'),
      subscriptionLevelID,
      industry: cell('Industry'),
      phoneNumber: cell('Phone number'),
      emailAddress: cell('Email'),
      websiteURL: cell('Website'),
      addressData: {
        street: cell('Street'),
        suite: cell('Suite'),
        city: cell('City'),
        state: cell('State'),
        zipCode: cell('Postal code'),
      },
    },
    contact: anyOf('Contact name', 'Contact phone number', 'Contact email')
      ? {
          name: cell('Contact name'),
          title: cell('Contact title'),
          phoneNumber: cell('Contact phone number'),
          emailAddress: cell('Contact email'),
          hours: '',
        }
      : null,
    escalationEmailAddresses: [
      ...new Set(
        cell('Escalation emails')
          .split(/[\s;,|]+/)
          .filter(Boolean),
      ),
    ],
    administrator: anyOf('Administrator first name', 'Administrator last name', 'Administrator email')
      ? {
          firstName: cell('Administrator first name'),
          lastName: cell('Administrator last name'),
          emailAddress: cell('Administrator email'),
        }
      : null,
  };
}

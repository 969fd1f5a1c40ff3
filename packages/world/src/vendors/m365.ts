/**
 * Simulated Microsoft 365: the Management Activity API as published by Microsoft ("Office 365 Management Activity API reference", read in November 2026):
 * subscriptions for each content type, listings of blobs by the time of availability with `NextPageUri`, blobs of records in any order, error codes AF….
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { checkToken, microsoftError, microsoftValues, tenant } from './microsoft.ts';
import {
  newVendorState,
  serveVendor,
  switchesOf,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
  type VendorState,
} from './vendor.ts';

type Record365 = Record<string, unknown> & { Id: string; CreationTime: string };

interface Blob365 {
  id: string;
  type: string;
  /** Time of availability, in milliseconds. */
  at: number;
  records: Record365[];
}

const types = ['Audit.AzureActiveDirectory', 'Audit.Exchange', 'Audit.SharePoint', 'Audit.General', 'DLP.All'];
const everyday = [
  { type: 'Audit.AzureActiveDirectory', Operation: 'UserLoggedIn', Workload: 'AzureActiveDirectory', RecordType: 15 },
  { type: 'Audit.SharePoint', Operation: 'FileAccessed', Workload: 'SharePoint', RecordType: 6 },
  { type: 'Audit.Exchange', Operation: 'MailItemsAccessed', Workload: 'Exchange', RecordType: 50 },
  { type: 'Audit.General', Operation: 'TeamsSessionStarted', Workload: 'MicrosoftTeams', RecordType: 25 },
];
const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const recordsOfBlob = 40;
const blobsOfPage = 10;

const recordOf = (number: number, at: number, more: object): Record365 => ({
  CreationTime: new Date(at).toISOString().slice(0, 19),
  Id: `${number.toString(16).padStart(8, '0')}-5d0e-4c1a-8f7b-${at.toString(16).padStart(12, '0').slice(-12)}`,
  OrganizationId: tenant,
  ResultStatus: 'Succeeded',
  UserKey: `1003200${number % people.length}`,
  UserType: 0,
  Version: 1,
  ClientIP: `198.51.100.${10 + (number % 40)}`,
  ObjectId: 'Unknown',
  UserId: `${people[number % people.length]}@alder.example`,
  ...more,
});

interface M365State extends VendorState {
  blobs: Blob365[];
  subscribed: Set<string>;
}

function list(state: M365State, url: URL): VendorAnswer {
  const query = url.searchParams;
  const type = query.get('contentType') ?? '';
  if (!types.includes(type)) return microsoftError(400, 'AF20020', `The specified content type is not valid.`);
  if (!state.subscribed.has(type)) return microsoftError(400, 'AF20022', 'No subscription found for the specified content type');
  const [start, end] = ['startTime', 'endTime'].map((name) => Date.parse(`${query.get(name)}Z`)) as [number, number];
  if (!(end >= start) || end - start > dayMs)
    return microsoftError(
      400,
      'AF20055',
      'Start time and end time must both be specified (or both omitted) and must be less than or equal to 24 hours apart.',
    );
  const [mark, position = '0'] = (query.get('nextPage') ?? `g${state.generation}_0`).split('_');
  if (mark !== `g${state.generation}`) return microsoftError(400, 'AF20030', 'Invalid nextPage Input.');
  const found = state.blobs.filter((blob) => blob.type === type && blob.at >= start && blob.at < end + 1_000);
  const from = Number(position);
  const page = found.slice(from, from + blobsOfPage);
  const next = new URL(url);
  next.searchParams.set('nextPage', `g${state.generation}_${from + blobsOfPage}`);
  const body = page.map(({ id, at }) => ({
    contentUri: `${url.origin}/api/v1.0/${tenant}/activity/feed/audit/${id}`,
    contentId: id,
    contentType: type,
    contentCreated: new Date(at).toISOString(),
    contentExpiration: new Date(at + 7 * dayMs).toISOString(),
  }));
  return {
    headers: from + blobsOfPage < found.length ? { NextPageUri: String(next) } : {},
    body: state.isUntidy ? body.reverse() : body,
  };
}

function answerOf(state: M365State, request: VendorRequest): VendorAnswer {
  const refused = checkToken(state, request);
  if (refused) return refused;
  const { method, url } = request;
  const path = decodeURIComponent(url.pathname).replace(/^\/api\/v1\.0\/[0-9a-f-]{36}\/activity\/feed/, '');
  const type = url.searchParams.get('contentType') ?? '';
  if (path === '/subscriptions/start' && method === 'POST') {
    if (state.subscribed.has(type))
      return microsoftError(400, 'AF20024', 'The subscription is already enabled. No property change.');
    state.subscribed.add(type);
    return { body: { contentType: type, status: 'enabled', webhook: null } };
  }
  if (path === '/subscriptions/content') return list(state, url);
  const blob = state.blobs.find(({ id }) => path === `/audit/${id}`);
  if (!blob) return microsoftError(404, 'AF20050', 'The specified content does not exist.');
  return { body: state.isUntidy ? [...blob.records.slice(0, 3), ...blob.records].reverse() : blob.records };
}

/** Starts a simulated Microsoft 365. */
export async function startM365(port?: number): Promise<Vendor> {
  const state: M365State = { ...newVendorState(), blobs: [], subscribed: new Set() };
  const { blobs } = state;
  let count = 0;

  const add = (type: string, at: number, records: Record365[]): void => {
    const available = Math.max(at, blobs.at(-1)?.at ?? 0);
    blobs.push({ id: `2026${blobs.length}$2026${blobs.length}$demo$${type.replace('.', '_')}$01`, type, at: available, records });
  };

  const server = await serveVendor((request) => answerOf(state, request), port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'm365',
    values: microsoftValues(server.url),
    publish(number, at) {
      const made = Array.from({ length: number }, (_, index) => {
        const { type, ...more } = everyday[count % everyday.length]!;
        return { type, record: recordOf(count++, at + index, more) };
      });
      for (const [type, those] of Map.groupBy(made, (one) => one.type))
        for (let from = 0; from < those.length; from += recordsOfBlob)
          add(
            type,
            at,
            those.slice(from, from + recordsOfBlob).map(({ record }) => record),
          );
      return made.map(({ record }) => record.Id);
    },
    intrude(at) {
      const ClientIP = '203.0.113.66';
      const Parameters = [
        { Name: 'Name', Value: '.' },
        { Name: 'ForwardTo', Value: 'collector@mail.example' },
        { Name: 'SubjectContainsWords', Value: 'invoice;payment' },
      ];
      const rule = {
        Operation: 'New-InboxRule',
        Workload: 'Exchange',
        RecordType: 1,
        ResultStatus: 'True',
        ClientIP,
        Parameters,
      };
      add('Audit.Exchange', at, [recordOf(count++, at, rule)]);
    },
  };
}

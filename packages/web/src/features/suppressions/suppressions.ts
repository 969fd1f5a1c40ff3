/** Pure parts of suppressions: what the address asks for, how long one may hold, what one is about in words. */
import type { SuppressionRow } from '@parapet/contract/suppressions.ts';
import type { Search } from '../../lib/address.ts';

const dayMs = 86_400_000;

/** A year at most: the server counts from its own clock, so the longest stays a little below. */
export const lengths = [
  { value: 1, label: '1 day' },
  { value: 7, label: '1 week' },
  { value: 30, label: '30 days' },
  { value: 90, label: '90 days' },
  { value: 180, label: '180 days' },
  { value: 364, label: '1 year' },
] as const;

export const endOf = (days: number, now: number): string => new Date(now + days * dayMs).toISOString();

export interface Draft {
  clientOrganizationID: number;
  ruleID: string;
  deviceName: string;
  userName: string;
}

/** What another page asks for (`new=1`), as the dialog opens with it; undefined for the list alone. */
export function draftIn(search: Search, client: number): Draft | undefined {
  if (search.new !== '1') return undefined;
  const part = (text: string | undefined, most: number) => (text && text.length <= most ? text : '');
  return {
    clientOrganizationID: client,
    ruleID: part(search.rule, 64),
    deviceName: part(search.device, 255),
    userName: part(search.user, 255),
  };
}

export const noDraft = { new: undefined, rule: undefined, device: undefined, user: undefined };

/** What the server is asked for a preview or a new one; undefined while it would hide everything. */
export function whatOf({ clientOrganizationID, ruleID, deviceName, userName }: Draft) {
  const given = (text: string) => text.trim() || null;
  const what = { clientOrganizationID, ruleID: given(ruleID), deviceName: given(deviceName), userName: given(userName) };
  return clientOrganizationID > 0 && (what.ruleID ?? what.deviceName ?? what.userName) !== null ? what : undefined;
}

type What = Pick<SuppressionRow, 'ruleID' | 'rule' | 'deviceName' | 'userName'>;
export const aboutOf = ({ ruleID, rule, deviceName, userName }: What): string =>
  [rule ?? ruleID, deviceName && `on ${deviceName}`, userName && `by ${userName}`].filter(Boolean).join(' ');

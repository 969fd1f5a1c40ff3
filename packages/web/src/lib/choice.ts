/**
 * Client and timeframe chosen last in this tab. They complete addresses that leave them out; two cookies carry them to the next visit.
 * The month of the reports is a choice of its own and is kept as long as the tab.
 */
import { allClients, hasClientSelector, type RoleHolder } from '@parapet/contract/access.ts';
import {
  defaultTimeframe,
  isTimeframe,
  type Month,
  reportingMonthOf,
  type Timeframe,
} from '@parapet/contract/rules/timeframe.ts';
import { clientIdIn } from './address.ts';
import { clientCookie, cookies, timeframeCookie } from './cookies.ts';
import type { AddressChoice } from './pageRules.ts';
import { createStore } from './store.ts';

export interface Choice {
  /** The id as text, '0' for all; the user may have lost access to it. */
  client: string;
  timeframe: Timeframe;
  month: Month | undefined;
}

export const allClientsId = String(allClients);

export const choice = createStore<Choice>({ client: allClientsId, timeframe: defaultTimeframe, month: undefined });

export function readChoice(): void {
  const timeframe = cookies.read(timeframeCookie);
  choice.set({
    client: cookies.read(clientCookie) ?? allClientsId,
    timeframe: isTimeframe(timeframe) ? timeframe : defaultTimeframe,
    month: undefined,
  });
}

/** A new timeframe ends the choice of a month. */
export function keepChoice(patch: Partial<Choice>): void {
  const old = choice.get();
  const next = { ...old, ...patch };
  if (next.timeframe !== old.timeframe) next.month = patch.month;
  if (next.client === old.client && next.timeframe === old.timeframe && next.month === old.month) return;
  if (next.client !== old.client) cookies.write(clientCookie, next.client);
  if (next.timeframe !== old.timeframe) cookies.write(timeframeCookie, next.timeframe);
  choice.set(next);
}

/** Removes the client, which belongs to the session that ends (spec §4). */
export function forgetChoice(): void {
  cookies.remove(clientCookie);
  readChoice();
}

/** The part of the choice that completes a user’s addresses. */
export function choiceFor(who: RoleHolder, timeZone: string): AddressChoice {
  const { client, timeframe, month } = choice.get();
  return {
    client: hasClientSelector(who) ? (clientIdIn(client) ?? allClients) : undefined,
    ownId: who.organisationId,
    timeframe,
    month: () => month ?? reportingMonthOf(timeframe, Date.now() - 1, timeZone).value,
  };
}

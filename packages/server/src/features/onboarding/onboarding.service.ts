/** New clients, one or many: preview of a CSV file, and the creation with contacts and administrators in one transaction. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { NewClient, onboardingApi, PreviewRow } from '@parapet/contract/onboarding.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { readClients } from './onboarding.csv.ts';
import type { OnboardingPorts } from './onboarding.ports.ts';

const takenText = 'An account with this email address already exists.';
const sameNameText = 'A client of this name exists already.';

export interface OnboardingDeps extends OnboardingPorts {
  db: Database;
  outbox: Pick<OutboxService, 'isSending'>;
}

export type OnboardingService = ReturnType<typeof createOnboardingService>;

export function createOnboardingService({ db, organisations, users, outbox }: OnboardingDeps) {
  return {
    async preview(actor: Actor, partnerId: number, csv: string): Promise<AnswerOf<typeof onboardingApi.preview>> {
      scopeFor(actor, partnerId);
      const { rows, ignoredColumns } = readClients(csv);
      const compared = compareRows(rows);
      const checked = await readScoped(db, 'system', async (tx) => {
        const names = new Set((await organisations.listNamesBelow(tx, partnerId)).map((name) => name.toLowerCase()));
        const result: PreviewRow[] = [];
        for (const row of compared) {
          const address = row.client?.administrator?.emailAddress;
          const isTaken = address !== undefined && (await users.isTaken(tx, address));
          const warnings = names.has(row.name.toLowerCase()) ? [...row.warnings, sameNameText] : row.warnings;
          result.push(isTaken ? refused({ ...row, warnings }, `Administrator email: ${takenText}`) : { ...row, warnings });
        }
        return result;
      });
      return { rows: checked, ignoredColumns };
    },

    async create(actor: Actor, partnerId: number, clients: readonly NewClient[]): Promise<AnswerOf<typeof onboardingApi.create>> {
      scopeFor(actor, partnerId);
      const created = await scoped(db, 'system', async (tx) => {
        const results: { id: number; name: string }[] = [];
        for (const [index, client] of clients.entries()) results.push(await createOne(tx, actor, partnerId, client, index));
        return results;
      });
      return {
        clients: created,
        invited: clients.filter(({ administrator }) => administrator !== null).length,
        isSending: outbox.isSending,
      };
    },
  };

  async function createOne(tx: Tx, actor: Actor, partnerId: number, client: NewClient, index: number) {
    const { general, contact, escalationEmailAddresses, administrator } = client;
    const id = await organisations.createIn(tx, actor, { general, isPartner: false, partnerClientOrgID: partnerId });
    await organisations.addPeopleIn(tx, actor, id, {
      emergencyContacts: contact ? [contact] : [],
      escalationEmailAddresses: [...new Set(escalationEmailAddresses.map((address) => address.toLowerCase()))],
    });
    if (administrator && !(await users.welcomeAdministrator(tx, actor, { organisationId: id, ...administrator })))
      throw problem.invalid({ [`clients.${index}.administrator.emailAddress`]: [takenText] });
    return { id, name: general.name };
  }
}

const refused = (row: PreviewRow, error: string): PreviewRow => ({ ...row, client: null, errors: [...row.errors, error] });

/** Finds names and administrators that occur more than once in the file. */
function compareRows(rows: readonly PreviewRow[]): PreviewRow[] {
  const names = new Map<string, number>();
  const addresses = new Map<string, number>();
  return rows.map((row) => {
    const address = row.client?.administrator?.emailAddress.toLowerCase();
    const [sameName, sameAddress] = [names.get(row.name.toLowerCase()), address && addresses.get(address)];
    if (sameName === undefined) names.set(row.name.toLowerCase(), row.line);
    if (address && !sameAddress) addresses.set(address, row.line);
    const named = sameName === undefined ? row : { ...row, warnings: [...row.warnings, `Line ${sameName} has the same name.`] };
    return sameAddress ? refused(named, `Administrator email: line ${sameAddress} has the same.`) : named;
  });
}

/**
 * Units of contract services at Autotask. Source: autotask.net/help/developerhelp, "REST API" 1.0 (Contracts, ContractServices, ContractServiceUnits and
 * ContractServiceAdjustments). Units are read by the day; a change is the difference from a day on.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { objectOf, timeOf } from '../values.ts';
import type { Agreement, BillingApi, BillingItem } from './agreements.ts';
import { idText, type JsonCall, labelText, TicketFailure, unconfirmed } from './tickets.calls.ts';

type Row = Record<string, unknown>;
const pageSize = 500;
/** Pages of a query at most. */
const maxPages = 40;
/** Picklist values of every installation. */
const [active, recurringService] = [1, 7];
const rowsOf = (list: unknown): Row[] => (Array.isArray(list) ? list.map((row: unknown): Row => objectOf(row) ?? {}) : []);
const where = (...parts: [field: string, op: string, value: unknown][]) =>
  parts.map(([field, op, value]) => ({ op, field, value }));

/** Units on the day; of several periods that include it, those of the newest. Null without one. */
function unitsOn(rows: readonly Row[], service: string, at: number): number | null {
  const periods = rows
    .filter((row) => idText(row.contractServiceID) === service)
    .filter((row) => (timeOf(row.startDate) ?? 0) <= at && at < (timeOf(row.endDate) ?? 0) + dayMs)
    .sort((one, other) => (timeOf(other.startDate) ?? 0) - (timeOf(one.startDate) ?? 0) || Number(other.id) - Number(one.id));
  const units = periods[0]?.units;
  return typeof units === 'number' ? units : null;
}

export function autotaskBilling(who: string, call: JsonCall): BillingApi {
  /** All rows: queries return the first ones by their id. Throws for more than `maxPages`. */
  const query = async (entity: string, ...parts: Parameters<typeof where>): Promise<Row[]> => {
    const found: Row[] = [];
    for (let after = 0, page = 1; page <= maxPages; page++) {
      const filter = where(...parts, ['id', 'gt', after]);
      const rows = rowsOf(objectOf(await call('POST', `/${entity}/query`, { MaxRecords: pageSize, filter }))?.items);
      found.push(...rows);
      if (rows.length < pageSize) return found;
      after = Math.max(after, ...rows.map(({ id }) => Number(id) || 0));
    }
    throw new TicketFailure({ kind: 'retry', words: `${who} has more than ${maxPages * pageSize} ${entity}.` }, 200);
  };

  const itemsOf = async (contract: string, at: number): Promise<BillingItem[]> => {
    const services = await query('ContractServices', ['contractID', 'eq', Number(contract)]);
    const units = await query(
      'ContractServiceUnits',
      ['contractID', 'eq', Number(contract)],
      ['startDate', 'lte', dayOf(at)],
      ['endDate', 'gte', dayOf(at)],
    );
    return services.flatMap((row) => {
      const id = idText(row.id);
      if (id === undefined) return [];
      const label = labelText(row.internalDescription) || labelText(row.invoiceDescription) || id;
      return [{ id, label, quantity: unitsOn(units, id, at) }];
    });
  };
  const isOpen = ({ status, endDate }: Row, at: number) => status === active && at < (timeOf(endDate) ?? 0) + dayMs;

  return {
    who,
    isDifference: true,

    async agreements(company, at) {
      const contracts = await query(
        'Contracts',
        ['companyID', 'eq', Number(company)],
        ['contractType', 'eq', recurringService],
        ['status', 'eq', active],
      );
      const found: Agreement[] = [];
      for (const row of contracts) {
        const id = idText(row.id);
        if (id !== undefined && isOpen(row, at))
          found.push({ id, label: labelText(row.contractName) || id, items: await itemsOf(id, at) });
      }
      return found;
    },

    async read({ company, agreement, item }, at) {
      const [contract] = await query('Contracts', ['id', 'eq', Number(agreement)]);
      if (!contract || !isOpen(contract, at) || idText(contract.companyID) !== company) return undefined;
      return (await itemsOf(agreement, at)).find(({ id }) => id === item);
    },

    async setQuantity({ agreement, item }, { from, to }, at) {
      const adjustment = {
        contractID: Number(agreement),
        contractServiceID: Number(item),
        unitChange: to - from,
        effectiveDate: dayOf(at),
      };
      const answer = objectOf(await call('POST', '/ContractServiceAdjustments', adjustment));
      if (idText(answer?.itemId) === undefined) throw unconfirmed(who, 'change of units');
    },
  };
}

const dayOf = (at: number): string => `${new Date(at).toISOString().slice(0, 10)}T00:00:00Z`;

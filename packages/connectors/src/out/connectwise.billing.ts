/**
 * Additions of agreements at ConnectWise Manage. Source: developer.connectwise.com, "Manage REST API" 3.0 (finance/agreements and their additions; JSON
 * Patch, conditions).
 */
import { objectOf, timeOf } from '../values.ts';
import type { BillingApi, BillingItem } from './agreements.ts';
import { segment } from './outcomes.ts';
import { idText, type JsonCall, labelText, orMissing } from './tickets.calls.ts';

type Row = Record<string, unknown>;
const pageSize = 250;
const rowsOf = (answer: unknown): Row[] => (Array.isArray(answer) ? answer.map((row: unknown): Row => objectOf(row) ?? {}) : []);
const additionFields = 'id,product,description,quantity,cancelledDate';
const agreementFields = 'id,name,company,cancelledFlag,endDate,noEndingDateFlag';

const isOver = (end: unknown, at: number): boolean => (timeOf(end) ?? Number.POSITIVE_INFINITY) <= at;
const isActive = ({ cancelledFlag, noEndingDateFlag, endDate }: Row, at: number): boolean =>
  cancelledFlag !== true && (noEndingDateFlag === true || !isOver(endDate, at));

function itemOf(row: Row, at: number): BillingItem | undefined {
  const id = idText(row.id);
  if (id === undefined || isOver(row.cancelledDate, at)) return undefined;
  const label = labelText(row.description) || labelText(objectOf(row.product)?.identifier) || id;
  return { id, label, quantity: typeof row.quantity === 'number' ? row.quantity : null };
}

export function connectwiseBilling(who: string, call: JsonCall): BillingApi {
  const list = (path: string, query: Record<string, string>) =>
    call('GET', `${path}?${new URLSearchParams({ pageSize: String(pageSize), ...query })}`).then(rowsOf);
  return {
    who,
    isDifference: false,

    async agreements(company, at) {
      const conditions = `company/id=${Number(company)} and cancelledFlag=false`;
      const rows = await list('/finance/agreements', { conditions, fields: agreementFields, orderBy: 'id asc' });
      const found = rows.filter((row) => isActive(row, at)).flatMap((row) => idText(row.id) ?? []);
      const names = new Map(rows.map((row) => [idText(row.id), labelText(row.name)]));
      return Promise.all(
        found.map(async (id) => {
          const additions = await list(`/finance/agreements/${segment(id)}/additions`, {
            fields: additionFields,
            orderBy: 'id asc',
          });
          return { id, label: names.get(id) || id, items: additions.flatMap((row) => itemOf(row, at) ?? []) };
        }),
      );
    },

    async read({ company, agreement, item }, at) {
      const path = `/finance/agreements/${segment(agreement)}`;
      const found = objectOf(await orMissing(call('GET', `${path}?fields=${agreementFields}`)));
      if (!found || !isActive(found, at) || idText(objectOf(found.company)?.id) !== company) return undefined;
      const row = objectOf(await orMissing(call('GET', `${path}/additions/${segment(item)}?fields=${additionFields}`)));
      return row && itemOf(row, at);
    },

    setQuantity: async ({ agreement, item }, { to }) =>
      void (await call('PATCH', `/finance/agreements/${segment(agreement)}/additions/${segment(item)}`, [
        { op: 'replace', path: 'quantity', value: to },
      ])),
  };
}

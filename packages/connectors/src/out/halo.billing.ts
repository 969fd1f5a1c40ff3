/**
 * Lines of recurring invoices at HaloPSA. Source: the API's own description at {site}/apidoc (RecurringInvoice, RecurringInvoice/updatelines), and the
 * published module HaloAPI 1.24.
 */
import { objectOf } from '../values.ts';
import type { BillingApi, BillingItem } from './agreements.ts';
import { segment } from './outcomes.ts';
import { idText, type JsonCall, labelText, orMissing } from './tickets.calls.ts';

type Row = Record<string, unknown>;
const rowsOf = (list: unknown): Row[] => (Array.isArray(list) ? list.map((row: unknown): Row => objectOf(row) ?? {}) : []);

function itemOf(row: Row): BillingItem[] {
  const id = idText(row.id);
  if (id === undefined) return [];
  const label = labelText(row.item_shortdescription) || labelText(row.item_name) || id;
  return [{ id, label, quantity: typeof row.qty_order === 'number' ? row.qty_order : null }];
}

export function haloBilling(who: string, call: JsonCall): BillingApi {
  const details = async (id: string) =>
    objectOf(await orMissing(call('GET', `/RecurringInvoice/${segment(id)}?includedetails=true`)));
  return {
    who,
    isDifference: false,

    async agreements(company) {
      const answer = await call('GET', `/RecurringInvoice?${new URLSearchParams({ client_id: company, includelines: 'true' })}`);
      const rows = rowsOf(Array.isArray(answer) ? answer : objectOf(answer)?.invoices);
      return rows.flatMap((row) => {
        const id = idText(row.id);
        if (id === undefined || row.disabled === true || idText(row.client_id) !== company) return [];
        return [{ id, label: labelText(row.name) || id, items: rowsOf(row.lines).flatMap(itemOf) }];
      });
    },

    async read({ company, agreement, item }) {
      const invoice = await details(agreement);
      if (!invoice || invoice.disabled === true || idText(invoice.client_id) !== company) return undefined;
      return rowsOf(invoice.lines)
        .flatMap(itemOf)
        .find(({ id }) => id === item);
    },

    setQuantity: async ({ agreement, item }, { to }) =>
      void (await call('POST', '/RecurringInvoice/updatelines', [{ id: Number(item), ihid: Number(agreement), qty_order: to }])),
  };
}

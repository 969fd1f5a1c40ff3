/** Agreements of the simulated PSA systems: recurring services with quantities, changed by the portal and by people. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type PsaAgreement, type PsaBookkeepers, type PsaService, psaCompanies } from './psa.ts';

const names = ['Protected servers', 'Protected workstations', 'Protected devices', 'Users', 'Mailboxes', 'Log volume in GB'];

/** An agreement for each company, with quantities of 1 to 6. */
export function psaAgreements(firstId: number) {
  let refusal: string | undefined;
  let waiting: (() => void)[] | undefined;
  let agreements: PsaAgreement[] = psaCompanies.map(({ id, name }, place) => ({
    id: firstId + place,
    name: `Managed security ${name}`,
    company: id,
    isEnded: false,
    services: names.map((service, number) => ({ id: firstId * 10 + place * 10 + number, name: service, quantity: number + 1 })),
  }));
  const find = (id: number): PsaAgreement | undefined => agreements.find((agreement) => agreement.id === id);
  const serviceOf = (id: number): PsaService | undefined =>
    agreements.flatMap(({ services }) => services).find((service) => service.id === id);
  const bookkeepers: PsaBookkeepers = {
    get agreements() {
      return agreements;
    },
    setQuantity(id, quantity) {
      const service = serviceOf(id);
      if (!service) throw new Error(`There is no service ${id}.`);
      service.quantity = quantity;
    },
    endAgreement(id) {
      const agreement = find(id);
      if (agreement) agreement.isEnded = true;
    },
    removeAgreement(id) {
      agreements = agreements.filter((agreement) => agreement.id !== id);
    },
    refuse(words) {
      refusal = words;
    },
    delay(isOn) {
      for (const show of waiting ?? []) show();
      waiting = isOn ? [] : undefined;
    },
  };
  return {
    bookkeepers,
    find,
    serviceOf,
    refusal: () => refusal,
    /** Now, or once changes are no longer delayed. */
    show: (change: () => void) => void (waiting ? waiting.push(change) : change()),
    of: (company: number) => agreements.filter((each) => each.company === company),
  };
}

const text = (id: number): string => String(id);
export type Agreements = ReturnType<typeof psaAgreements>;
export type Answered = { status?: number; body: unknown };

/** Finance of a simulated ConnectWise: agreements with conditions, additions, JSON Patch of a quantity. Undefined for other paths. */
export function connectwiseFinance(
  psa: Agreements,
  method: string,
  path: string,
  query: URLSearchParams,
  body: string,
): Answered | undefined {
  const fault = (status: number, message: string): Answered => ({
    status,
    body: { code: status === 404 ? 'NotFound' : 'InvalidObject', message, errors: null },
  });
  const shown = ({ id, name, company, isEnded }: PsaAgreement) => ({
    id,
    name,
    company: { id: company },
    cancelledFlag: isEnded,
    noEndingDateFlag: true,
  });
  const addition = ({ id, name, quantity }: PsaService) => ({
    id,
    product: { id: id + 1, identifier: name },
    description: name,
    quantity,
  });
  if (path === '/finance/agreements') {
    const company = /^company\/id=(\d+) and cancelledFlag=false$/.exec(query.get('conditions') ?? '')?.[1];
    if (company === undefined) return fault(400, 'The conditions are not valid.');
    return {
      body: psa
        .of(Number(company))
        .filter(({ isEnded }) => !isEnded)
        .map(shown),
    };
  }
  const [, id, part, item] = /^\/finance\/agreements\/(\d+)(\/additions)?(?:\/(\d+))?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const agreement = psa.find(Number(id));
  if (!agreement) return fault(404, 'Agreement not found');
  if (part === undefined) return { body: shown(agreement) };
  if (item === undefined) return { body: agreement.services.map(addition) };
  const service = agreement.services.find((each) => text(each.id) === item);
  if (!service) return fault(404, 'Addition not found');
  if (method !== 'PATCH') return { body: addition(service) };
  const refusal = psa.refusal() ?? (agreement.isEnded ? 'The agreement is cancelled.' : undefined);
  if (refusal !== undefined) return fault(400, refusal);
  const [operation] = JSON.parse(body) as { op: string; path: string; value: unknown }[];
  if (operation?.op !== 'replace' || operation.path !== 'quantity' || typeof operation.value !== 'number')
    return fault(400, 'The operation is not valid.');
  service.quantity = operation.value;
  return { body: addition(service) };
}

/** Recurring invoices of a simulated HaloPSA with their lines. */
export function haloInvoices(
  psa: Agreements,
  method: string,
  path: string,
  query: URLSearchParams,
  body: string,
): Answered | undefined {
  const fault = (status: number, message: string): Answered => ({ status, body: { message } });
  const shown = ({ id, name, company, isEnded, services }: PsaAgreement) => ({
    id,
    name,
    client_id: company,
    disabled: isEnded,
    lines: services.map((line) => ({ id: line.id, ihid: id, item_shortdescription: line.name, qty_order: line.quantity })),
  });
  if (method === 'GET' && path === '/api/RecurringInvoice')
    return { body: { record_count: 1, invoices: psa.of(Number(query.get('client_id'))).map(shown) } };
  const id = /^\/api\/RecurringInvoice\/(\d+)$/.exec(path)?.[1];
  if (method === 'GET' && id !== undefined) {
    const agreement = psa.find(Number(id));
    return agreement ? { body: shown(agreement) } : fault(404, 'Not found');
  }
  if (method !== 'POST' || path !== '/api/RecurringInvoice/updatelines') return undefined;
  const refusal = psa.refusal();
  if (refusal !== undefined) return fault(400, refusal);
  const lines = JSON.parse(body) as { id: number; ihid: number; qty_order: number }[];
  for (const line of lines) {
    const service = psa.find(line.ihid)?.services.find((each) => each.id === line.id);
    if (!service || typeof line.qty_order !== 'number') return fault(400, 'The line does not exist.');
    service.quantity = line.qty_order;
  }
  return { status: 201, body: lines };
}

/** Contracts of a simulated Autotask: rows for queries, and adjustments of units. Units are those of one period of a year around now, or of two. */
export function autotaskContracts(psa: Agreements, now: () => number) {
  const { bookkeepers } = psa;
  const day = (at: number) => `${new Date(at).toISOString().slice(0, 10)}T00:00:00`;
  let adjustments = 0;
  const period = () => ({ startDate: day(now() - 180 * dayMs), endDate: day(now() + 180 * dayMs) });
  return {
    rowsOf(entity: string): Record<string, unknown>[] | undefined {
      const all = bookkeepers.agreements;
      if (entity === 'Contracts')
        return all.map(({ id, name, company, isEnded }) => ({
          id,
          contractName: name,
          companyID: company,
          contractType: 7,
          status: isEnded ? 0 : 1,
          ...period(),
        }));
      if (entity === 'ContractServices')
        return all.flatMap(({ id, services }) =>
          services.map((service) => ({
            id: service.id,
            contractID: id,
            serviceID: service.id + 1,
            internalDescription: service.name,
          })),
        );
      if (entity !== 'ContractServiceUnits') return undefined;
      return all.flatMap(({ id, services }) =>
        services.flatMap((service) => {
          const { quantity: units, next, hasNone } = service;
          const row = { id: service.id, contractID: id, contractServiceID: service.id, units, ...period() };
          if (!next) return hasNone ? [] : [row];
          const following = { ...row, id: service.id + 1_000_000, units: next.quantity, startDate: day(next.at) };
          return [{ ...row, endDate: day(next.at - dayMs) }, following];
        }),
      );
    },
    /** Adds a difference; units are whole and never below 0. */
    adjust(body: string): Answered {
      const fault = (...errors: string[]): Answered => ({ status: 500, body: { errors } });
      const { contractServiceID, unitChange, effectiveDate } = JSON.parse(body) as Record<string, unknown>;
      const service = psa.serviceOf(Number(contractServiceID));
      const refusal = psa.refusal();
      if (refusal !== undefined) return fault(refusal);
      if (!service) return fault('Reference value on field contractServiceID does not exist.');
      if (typeof effectiveDate !== 'string' || Number.isNaN(Date.parse(effectiveDate)))
        return fault('Field effectiveDate is required.');
      if (typeof unitChange !== 'number' || !Number.isInteger(unitChange) || service.quantity + unitChange < 0)
        return fault('The value of field unitChange is invalid.');
      psa.show(() => (service.quantity += unitChange));
      return { body: { itemId: ++adjustments } };
    },
  };
}

/**
 * Where the reader came from: the list as they left it and the alert they opened, so that "back" leads to the same filters, page and
 * row. Kept per tab; where the browser refuses storage it lasts until the page is reloaded.
 */
const key = 'alerts:last-list';

interface LastList {
  address: string;
  alert?: number;
}

let inMemory: LastList | undefined;

const isList = (address: string) => address.length <= 4000 && /^\/apps\/alerts(?:[/?]|$)/.test(address);

/** On its way to another page the list is still there for a moment, under that page's address: only a list's own address counts. */
export function rememberList(last: LastList): void {
  if (!isList(last.address)) return;
  inMemory = last;
  try {
    sessionStorage.setItem(key, JSON.stringify(last));
  } catch {
    // Then memory has to do.
  }
}

export function lastList(): LastList | undefined {
  if (inMemory) return inMemory;
  try {
    return parseLast(sessionStorage.getItem(key));
  } catch {
    return undefined;
  }
}

/** Only an address of the alert list counts, whatever else may stand in the storage. */
export function parseLast(text: string | null): LastList | undefined {
  try {
    const { address, alert } = JSON.parse(text ?? '') as Record<string, unknown>;
    if (typeof address !== 'string' || !isList(address)) return undefined;
    return typeof alert === 'number' ? { address, alert } : { address };
  } catch {
    return undefined;
  }
}

/**
 * Where the reader came from: a list as they left it and the thing they opened, so that "back" leads to the same filters, page and row.
 * Kept per tab; where the browser refuses storage it lasts until the page is reloaded.
 */
export type LastList<Thing extends string> = { address: string } & { [Name in Thing]?: number };

/** `list`: the list's own name in addresses, /apps/{list}; `thing`: what its rows are. */
export function createLastList<Thing extends string>(list: string, thing: Thing) {
  const key = `${list}:last-list`;
  const own = new RegExp(`^/apps/${list}(?:[/?]|$)`);
  const isList = (address: string) => address.length <= 4000 && own.test(address);
  let inMemory: LastList<Thing> | undefined;

  /** Only an address of the list counts, whatever else may stand in the storage. */
  function parse(text: string | null): LastList<Thing> | undefined {
    try {
      const { address, [thing]: id } = JSON.parse(text ?? '') as Record<string, unknown>;
      if (typeof address !== 'string' || !isList(address)) return undefined;
      return (typeof id === 'number' ? { address, [thing]: id } : { address }) as LastList<Thing>;
    } catch {
      return undefined;
    }
  }
  function last(): LastList<Thing> | undefined {
    if (inMemory) return inMemory;
    try {
      return parse(sessionStorage.getItem(key));
    } catch {
      return undefined;
    }
  }
  return {
    parse,
    last,
    /** On its way to another page the list is still there for a moment, under that page's address: only a list's own address counts. */
    remember(next: LastList<Thing>): void {
      if (!isList(next.address)) return;
      inMemory = next;
      try {
        sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Then memory has to do.
      }
    },
    /** The thing that was opened from this very address, when the reader comes back to it. */
    returned(): number | undefined {
      const list = last();
      return list?.address === location.pathname + location.search ? list[thing] : undefined;
    },
  };
}

/**
 * The list that the reader came from and the object opened from it, so that Back leads to the same filters, page and row. Per tab;
 * without storage until the page is reloaded.
 */
import { useEffect, useState } from 'react';
import { createTabMemory } from './tabMemory.ts';

export type LastList<Name extends string> = { address: string } & { [Each in Name]?: number };

const maxAddressLength = 4000;

/** `list`: its name in addresses, /apps/{list}; `name`: the property with the id of its row. */
export function createLastList<Name extends string>(list: string, name: Name) {
  const memory = createTabMemory(`${list}:last-list`);
  const own = new RegExp(`^/apps/${list}(?:[/?]|$)`);
  const isList = (address: string) => address.length <= maxAddressLength && own.test(address);
  let inMemory: LastList<Name> | undefined;

  /** Accepts addresses of the list only, whatever the storage contains. */
  function parse(text: string | null): LastList<Name> | undefined {
    try {
      const { address, [name]: id } = JSON.parse(text ?? '') as Record<string, unknown>;
      if (typeof address !== 'string' || !isList(address)) return undefined;
      return (typeof id === 'number' ? { address, [name]: id } : { address }) as LastList<Name>;
    } catch {
      return undefined;
    }
  }
  const last = (): LastList<Name> | undefined => inMemory ?? parse(memory.read() ?? null);
  /** Ignores other addresses: during a navigation the list is still rendered under the next page’s address. */
  function remember(next: LastList<Name>): void {
    if (!isList(next.address)) return;
    inMemory = next;
    memory.write(JSON.stringify(next));
  }
  return {
    parse,
    last,
    remember,
    /** Remembers the present address. Returns the object opened from it, when the reader comes back to it. */
    useReturnTo(): number | undefined {
      const [returned] = useState(() => {
        const list = last();
        return list?.address === location.pathname + location.search ? list[name] : undefined;
      });
      useEffect(() => remember({ address: location.pathname + location.search } as LastList<Name>));
      return returned;
    },
  };
}

/** Addresses of the pages behind a statement. */

type Values = Record<string, string | number | undefined>;

/** Builds an address as the pages do. */
export function path(page: string, query: Values = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = value === undefined ? '' : String(value);
    if (text !== '') search.set(name, text);
  }
  return search.size > 0 ? `${page}?${search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}` : page;
}

export const alertPath = (id: number): string => `/apps/alert/${id}`;
export const casePath = (id: number): string => `/apps/case/${id}`;
export const devicePath = (client: number, name: string): string => `/apps/device/${client}/${encodeURIComponent(name)}`;

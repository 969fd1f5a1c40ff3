/** Field-by-field differences of two JSON documents, for the audit log. */

export interface Difference {
  /** Path, for example general.addressData.city or emergencyContacts[0].name. */
  field: string;
  kind: 'added' | 'removed' | 'changed';
  before: string;
  after: string;
}

const maxDifferences = 500;

/** Parses a stored document. Text that is not JSON (it may have been truncated) is returned unchanged. */
export function read(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
const written = (value: unknown) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

// Own fields only: untrusted text may contain a field named __proto__.
const fieldsOf = (value: unknown) => new Map<string, unknown>(isBranch(value) ? Object.entries(value) : []);

/** The document whose fields are compared one by one: either of two of one kind, or the only one where it has fields. */
function branchOf(old: unknown, now: unknown): object | undefined {
  if (isBranch(old) && isBranch(now)) return Array.isArray(old) === Array.isArray(now) ? old : undefined;
  const only = old === undefined ? now : now === undefined ? old : undefined;
  return isBranch(only) && Object.keys(only).length > 0 ? only : undefined;
}

export function differencesOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  const walk = (field: string, old: unknown, now: unknown) => {
    if (found.length >= maxDifferences || old === now) return;
    const branch = branchOf(old, now);
    if (branch) {
      const [a, b] = [fieldsOf(old), fieldsOf(now)];
      for (const key of new Set([...a.keys(), ...b.keys()])) walk(nameOf(field, key, branch), a.get(key), b.get(key));
      return;
    }
    const [was, is] = [written(old), written(now)];
    if (was === is && old !== undefined && now !== undefined) return;
    found.push({
      field,
      kind: old === undefined ? 'added' : now === undefined ? 'removed' : 'changed',
      before: was,
      after: is,
    });
  };
  walk('', before, after);
  return found;
}

const nameOf = (field: string, key: string, parent: object) =>
  Array.isArray(parent) ? `${field}[${key}]` : field === '' ? key : `${field}.${key}`;

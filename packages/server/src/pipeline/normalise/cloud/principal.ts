/** Names of people in records of cloud services. */
import type { Document } from '../../event.ts';
import { fill } from '../doc.ts';

/** Fills `user` from a name, which may be an email address, and an id. */
export function fillPrincipal(user: Document, name: string | undefined, id?: string, full?: string): void {
  fill(user, 'id', id);
  fill(user, 'full_name', full);
  if (name === undefined) return;
  const at = name.lastIndexOf('@');
  if (at > 0 && at < name.length - 1 && !name.includes(' ')) {
    fill(user, 'email', name);
    fill(user, 'name', name.slice(0, at));
    fill(user, 'domain', name.slice(at + 1));
  } else fill(user, 'name', name);
}

/** Emails to owners of API keys. */
import type { KeyScope } from '@parapet/contract/access.ts';
import { greeting } from '../../core/mail/render.ts';
import type { NewMail } from '../outbox/outbox.ports.ts';

interface Key {
  name: string;
  prefix: string;
  scopes: readonly KeyScope[];
  expiresAt: Date;
  email: string;
  firstName: string;
  organisationId: number;
}

const mail = (key: Key, kind: string, subject: string, paragraphs: string[]): NewMail => ({
  organisationId: key.organisationId,
  kind,
  to: [key.email],
  subject,
  title: greeting(key.firstName),
  paragraphs,
  notes: ['Manage your API keys under Settings, API keys.'],
});

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export const expiryMail = (key: Key): NewMail =>
  mail(key, 'apiKey.expiring', `Your API key ${key.name} expires on ${dayOf(key.expiresAt)}`, [
    `The API key ${key.name} (${key.prefix}…) expires on ${dayOf(key.expiresAt)}. Calls with it are refused from then on.`,
    'If a program still needs it, create a new key and replace the old one before then.',
  ]);

export const scopesMail = (key: Key): NewMail =>
  mail(key, 'apiKey.scoped', `Your API key ${key.name} now has scopes`, [
    `API keys now have scopes. The key ${key.name} (${key.prefix}…) was given: ${key.scopes.join(', ')}.`,
    'It can no longer change settings. If a program needs to, create a key with the scope administer. Revoke this key if nothing uses it.',
  ]);

/**
 * Bearer links in emails: password resets, invitations, case replies, unsubscribing. Stored emails contain placeholders; the links are
 * encrypted beside them until delivery and then removed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { escaped, type MailContent } from '../../core/mail/render.ts';

/** Placeholder format; must match `without_links` (migration 0025). */
const placeholder = /\(sealed link [0-9a-f]{32}\)/g;
const shown = '[link hidden until delivery]';
export const removedLink = '[link removed after delivery]';
export const undeliveredLink = '[link removed: the email was not delivered]';
export const neverSentLink = '[link not stored: no mail server is configured]';

/** Links by placeholder. */
export type SealedLinks = Record<string, string>;

interface Parts {
  content: MailContent;
  headers: Record<string, string>;
}

/** Replaces the links in the content with placeholders, or with `instead`; throws when a link does not occur. */
export function takeLinksOut({ content, headers }: Parts, links: readonly string[], instead?: string) {
  const sealed: SealedLinks = {};
  // Longest first: one link may be a prefix of another.
  for (const link of [...new Set(links)].sort((a, b) => b.length - a.length))
    sealed[`(sealed link ${randomBytes(16).toString('hex')})`] = link;
  let replaced = 0;
  const clean = (text: string): string =>
    Object.entries(sealed).reduce((rest, [name, link]) => {
      if (!rest.includes(link)) return rest;
      replaced++;
      return rest.replaceAll(link, instead ?? name);
    }, text);
  const cleaned: Parts = JSON.parse(JSON.stringify({ content, headers }), (_key, value: unknown) =>
    typeof value === 'string' ? clean(value) : value,
  );
  if (replaced < links.length) throw new Error('A link to encrypt does not occur in its email.');
  return { ...cleaned, sealed, hashes: Object.values(sealed).map((link) => createHash('sha256').update(link).digest()) };
}

interface StoredParts {
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** Content to deliver, with its links restored. */
export function putLinksBack({ text, html, headers }: StoredParts, sealed: SealedLinks): StoredParts {
  const names = Object.entries(sealed);
  const filled = (content: string, form: (link: string) => string) =>
    names.reduce((rest, [name, link]) => rest.replaceAll(name, () => form(link)), content);
  const asIs = (link: string) => link;
  return {
    text: filled(text, asIs),
    html: filled(html, escaped),
    headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, filled(value, asIs)])),
  };
}

/** Readable text of a stored email. */
export const readableText = (text: string): string => text.replace(placeholder, shown);

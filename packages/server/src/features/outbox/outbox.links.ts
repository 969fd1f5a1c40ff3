/**
 * Links that work by themselves, whoever opens them: a password reset, an invitation, an answer to a case, the end of a subscription. In a stored mail a
 * placeholder stands for each; the links are sealed beside it until the mail is delivered, and then removed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { escaped, type MailContent } from '../../core/mail/render.ts';

/** As `without_links` (migration 0025) knows them. */
const placeholder = /\(sealed link [0-9a-f]{32}\)/g;
const shown = '[link hidden until delivery]';
export const removedLink = '[link removed after delivery]';
export const undeliveredLink = '[link removed: the mail was not delivered]';
export const neverSentLink = '[link not stored: no mail server is configured]';

/** Placeholder to link. */
export type SealedLinks = Record<string, string>;

interface Parts {
  content: MailContent;
  headers: Record<string, string>;
}

/** The content with placeholders, or `instead`, in place of the links; throws where one of them stands nowhere. */
export function takeLinksOut({ content, headers }: Parts, links: readonly string[], instead?: string) {
  const sealed: SealedLinks = {};
  // Longer ones first: one may begin with another.
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
  if (replaced < links.length) throw new Error('A link that is to be sealed does not stand in its mail.');
  return { ...cleaned, sealed, hashes: Object.values(sealed).map((link) => createHash('sha256').update(link).digest()) };
}

interface StoredParts {
  text: string;
  html: string;
  headers: Record<string, string>;
}

/** What is delivered. */
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

/** A stored mail's text as people read it. */
export const readableText = (text: string): string => text.replace(placeholder, shown);

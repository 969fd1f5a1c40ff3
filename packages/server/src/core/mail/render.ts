/** Renders branded emails as HTML and text. All values are escaped; nothing is loaded from the network. */

/** Branding of an email. */
export interface MailBrand {
  /** Origin of the portal under this brand, without a trailing slash. */
  origin: string;
  name: string;
  /** #rrggbb, dark enough for white text. */
  accent: string;
  senderName: string;
  senderAddress: string;
  footer: string;
}

export interface MailAction {
  label: string;
  url: string;
}

export interface MailContent {
  subject: string;
  /** First line of the body. */
  title: string;
  /** Name and value, one per line; before the paragraphs. */
  facts?: (readonly [string, string])[];
  paragraphs: string[];
  /** Buttons; `url` also stands as text, for readers that show no HTML. */
  actions?: MailAction[];
  /** The last of them. */
  action?: MailAction;
  /** Small, below the button. */
  notes?: string[];
}

/** A text from outside as a part of a subject: on one line, and no longer than a subject is read. */
export const onOneLine = (text: string, length = 150): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return plain.length > length ? `${plain.slice(0, length - 1).toWellFormed()}…` : plain;
};

/** Salutation. Omits a name that a mail client would turn into a link: users choose it. */
export const greeting = (firstName: string): string =>
  /^[\p{L}\p{M}\p{N} .'’-]{1,60}$/u.test(firstName) && !/\.\p{L}{2}/u.test(firstName) ? `Hello ${firstName}` : 'Hello';

export function renderMail(
  brand: MailBrand,
  { subject, title, facts = [], paragraphs, actions = [], action, notes = [] }: MailContent,
) {
  const buttons = action ? [...actions, action] : actions;
  const footer = [brand.footer, brand.name].filter(Boolean);
  const text = [
    title,
    ...(facts.length > 0 ? [facts.map(([name, value]) => `${name}: ${value}`).join('\n')] : []),
    ...paragraphs,
    ...buttons.map(({ label, url }) => `${label}:\n${url}`),
    ...notes,
    `-- \n${footer.join('\n')}`,
  ].join('\n\n');
  const paragraph = (content: string, style = '') =>
    `<p style="margin:0 0 16px;font-size:15px;line-height:1.5;${style}">${escaped(content).replace(/\n/g, '<br>')}</p>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2430;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #d9dee5;border-top:4px solid ${escaped(brand.accent)};border-radius:8px;padding:32px">
<div style="font-size:14px;font-weight:600;margin:0 0 24px">${escaped(brand.name)}</div>
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escaped(title)}</h1>
${facts.length > 0 ? `<table style="margin:0 0 16px;font-size:15px;line-height:1.5;border-collapse:collapse">${facts.map(fact).join('')}</table>` : ''}
${paragraphs.map((content) => paragraph(content)).join('\n')}
${buttons
  .map(
    ({
      label,
      url,
    }) => `<p style="margin:24px 0"><a href="${escaped(url)}" style="display:inline-block;padding:12px 20px;background:${escaped(brand.accent)};color:#ffffff;text-decoration:none;border-radius:8px;font-size:15px">${escaped(label)}</a></p>
${paragraph(url, 'font-size:13px;color:#566070;word-break:break-all')}`,
  )
  .join('\n')}
${notes.map((content) => paragraph(content, 'font-size:13px;color:#566070')).join('\n')}
</div>
<div style="max-width:560px;margin:16px auto 0;font-size:12px;line-height:1.5;color:#566070">${footer.map(escaped).join('<br>')}</div>
</body></html>
`;
  return { subject, text, html };
}

const fact = ([name, value]: readonly [string, string]) =>
  `<tr><td style="padding:0 16px 4px 0;color:#566070;vertical-align:top">${escaped(name)}</td><td style="padding:0 0 4px">${escaped(value)}</td></tr>`;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

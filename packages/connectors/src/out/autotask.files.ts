/**
 * Attachments of Autotask. Source: autotask.net/help/developerhelp, "REST API" 1.0 (Working with attachments, TicketAttachments, AttachmentInfo): made
 * as children of a ticket, with base64 data of at most 6 to 7 MB; published to its internal users only.
 */
import { confirmedId } from './tickets.calls.ts';
import type { FilesApi } from './tickets.ts';

type Row = Record<string, unknown>;
interface Attachments {
  query(ticket: number): Promise<Row[]>;
  post(ticket: string, body: Row, summary: string): Promise<Row>;
}

const internalUsers = 2;

export const autotaskFiles = (who: string, { query, post }: Attachments): FilesApi => ({
  list: async (ticket) => (await query(Number(ticket))).map(({ fullPath }) => String(fullPath)),
  async add(ticket, { name, title, bytes }) {
    const attachment = {
      attachmentType: 'FILE_ATTACHMENT',
      publish: internalUsers,
      title,
      fullPath: name,
      data: bytes.toString('base64'),
    };
    return confirmedId(who, 'file', (await post(ticket, attachment, `${title}: ${name}`)).itemId);
  },
});

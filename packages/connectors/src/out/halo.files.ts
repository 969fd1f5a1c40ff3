/**
 * Attachments of HaloPSA. Source: the API's own description at {site}/apidoc (Attachment: ticket_id, filename, data_base64, which is a data URI) and the
 * published module HaloAPI 1.24.
 */
import { objectOf } from '../values.ts';
import { confirmedId } from './tickets.calls.ts';
import type { FilesApi } from './tickets.ts';

type Row = Record<string, unknown>;
interface Attachments {
  list(ticket: string): Promise<Row[]>;
  post(rows: readonly Row[], summary: string): Promise<unknown>;
}

export const haloFiles = (who: string, { list, post }: Attachments): FilesApi => ({
  list: async (ticket) => (await list(ticket)).map(({ filename }) => String(filename)),
  async add(ticket, { name, title, type, bytes }) {
    const data_base64 = `data:${type};base64,${bytes.toString('base64')}`;
    const row = { ticket_id: Number(ticket), filename: name, note: title, isimage: false, show_to_users: false, data_base64 };
    const answer = await post([row], `${title}: ${name}`);
    return confirmedId(who, 'file', objectOf(Array.isArray(answer) ? answer[0] : answer)?.id);
  },
});

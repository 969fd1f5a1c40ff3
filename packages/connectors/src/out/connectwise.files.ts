/**
 * Documents of ConnectWise Manage. Source: developer.connectwise.com, "Manage REST API" 3.0 (system/documents): multipart/form-data with recordType,
 * recordId, title and file; private ones are for its own users.
 */
import { randomUUID } from 'node:crypto';
import { objectOf } from '../values.ts';
import { confirmedId } from './tickets.calls.ts';
import type { FilesApi } from './tickets.ts';

type Row = Record<string, unknown>;
interface Documents {
  list(query: Record<string, string>): Promise<Row[]>;
  post(contentType: string, body: Uint8Array, summary: string): Promise<unknown>;
}

export const connectwiseFiles = (who: string, { list, post }: Documents): FilesApi => ({
  async list(ticket) {
    const rows = await list({ recordType: 'Ticket', recordId: ticket });
    return rows.map(({ fileName }) => String(fileName));
  },
  async add(ticket, { name, title, type, bytes }) {
    const boundary = `portal-${randomUUID()}`;
    const fields = { recordType: 'Ticket', recordId: ticket, title, privateFlag: 'true', readOnlyFlag: 'true' };
    const parts = Object.entries(fields).map(
      ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
    );
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(`${parts.join('')}${head}`), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    return confirmedId(
      who,
      'file',
      objectOf(await post(`multipart/form-data; boundary=${boundary}`, body, `${title}: ${name}`))?.id,
    );
  },
});

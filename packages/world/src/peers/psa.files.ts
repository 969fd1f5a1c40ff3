/**
 * Attachments of the simulated PSA systems, from developer.connectwise.com, "Manage REST API" 3.0 (system/documents), autotask.net/help/developerhelp,
 * "REST API" 1.0 (Working with attachments), and HaloPSA's description at halopsa.com/apidoc (Attachment).
 */
import type { VendorAnswer, VendorRequest } from '../vendors/vendor.ts';
import { jsonIn } from './peer.ts';
import type { PsaTicket, psaTickets } from './psa.ts';

type Psa = Pick<ReturnType<typeof psaTickets>, 'find' | 'addFile' | 'changed'>;
type Row = Record<string, unknown>;
/** Of one file at Autotask. */
const maxBytes = 6_000_000;

/** Fields of multipart/form-data. */
function partsOf({ headers, body }: Pick<VendorRequest, 'headers' | 'body'>): Map<string, { value: string; fileName?: string }> {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(String(headers['content-type']))?.[1];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1);
  return new Map(
    parts.flatMap((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const name = / name="([^"]*)"/.exec(head)?.[1];
      const fileName = / filename="([^"]*)"/.exec(head)?.[1];
      const value = rest.join('\r\n\r\n').replace(/\r\n$/, '');
      return name === undefined ? [] : [[name, { value, ...(fileName !== undefined && { fileName }) }] as const];
    }),
  );
}

/** Calls of /system/documents. Files are read as UTF-8. */
export function connectwiseDocuments(psa: Psa) {
  const fault = (message: string): VendorAnswer => ({ status: 400, body: { code: 'InvalidObject', message, errors: null } });
  const shown = ({ files }: PsaTicket) => files.map(({ id, name, title }) => ({ id, title, fileName: name }));
  return (request: Pick<VendorRequest, 'method' | 'url' | 'headers' | 'body'>): VendorAnswer => {
    const { searchParams: query } = request.url;
    const parts = partsOf(request);
    const fieldOf = (name: string) => (request.method === 'GET' ? (query.get(name) ?? '') : (parts.get(name)?.value ?? ''));
    const ticket = fieldOf('recordType') === 'Ticket' ? psa.find(Number(fieldOf('recordId'))) : undefined;
    if (!ticket) return fault('recordId is not valid.');
    if (request.method === 'GET') return { body: shown(ticket) };
    const file = parts.get('file');
    if (!file?.fileName || fieldOf('title') === '') return fault('A file and its title are required.');
    const isPublic = fieldOf('privateFlag') !== 'true';
    const id = psa.addFile(ticket.id, { name: file.fileName, title: fieldOf('title'), bytes: Buffer.from(file.value), isPublic });
    return { status: 201, body: { id, fileName: file.fileName } };
  };
}

export function autotaskAttachments(psa: Psa) {
  const fault = (text: string): VendorAnswer => ({ status: 500, body: { errors: [text] } });
  return {
    rows: (): Row[] =>
      psa
        .changed(0)
        .flatMap(({ id: ticketID, files }) => files.map(({ id, name, title }) => ({ id, ticketID, title, fullPath: name }))),
    add(ticketId: number, body: string): VendorAnswer {
      const { attachmentType, title, fullPath, data, publish } = jsonIn(body) ?? {};
      if (!psa.find(ticketId)) return { status: 404, body: { errors: ['Not found'] } };
      if (attachmentType !== 'FILE_ATTACHMENT' || !title || !fullPath || (publish !== 1 && publish !== 2))
        return fault('Field attachmentType, title, fullPath or publish is invalid.');
      const bytes = Buffer.from(String(data ?? ''), 'base64');
      if (bytes.length === 0 || bytes.length > maxBytes) return fault('The attachment must be above 0 and at most 6 MB.');
      const file = { name: String(fullPath), title: String(title), bytes, isPublic: publish === 1 };
      return { body: { itemId: psa.addFile(ticketId, file) } };
    },
  };
}

export function haloAttachments(psa: Psa) {
  const fault = (status: number, message: string): VendorAnswer => ({ status, body: { message } });
  return {
    list(query: URLSearchParams): VendorAnswer {
      const ticket = psa.find(Number(query.get('ticket_id')));
      if (!ticket) return fault(404, 'The ticket does not exist.');
      return { body: { attachments: ticket.files.map(({ id, name }) => ({ id, filename: name })) } };
    },
    add(row: Row | undefined): VendorAnswer {
      const ticket = psa.find(Number(row?.ticket_id));
      if (!row || !ticket) return fault(404, 'The ticket does not exist.');
      const data = /^data:[\w/+.-]+;base64,([\w+/=]+)$/.exec(String(row.data_base64))?.[1];
      if (typeof row.filename !== 'string' || data === undefined) return fault(400, 'The attachment is not valid.');
      const file = { name: row.filename, title: String(row.note ?? ''), bytes: Buffer.from(data, 'base64') };
      const id = psa.addFile(ticket.id, { ...file, isPublic: row.show_to_users !== false });
      return { status: 201, body: { id, filename: row.filename } };
    },
  };
}

/** The certificate of an erasure as a PDF. */
import type { ErasureCertificate } from '../../domain/erasureCertificate.ts';
import type { PdfBrand, PdfReport } from '../../domain/pdf.ts';

const exact = (count: number): string => count.toLocaleString('en-GB');
const time = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;

export function certificatePdf({ content, sha256, publicKey, signature }: ErasureCertificate, brand: PdfBrand): PdfReport {
  const { tables, files } = content;
  const sum = (of: (table: { rows: number; bytes: number }) => number) => tables.reduce((total, table) => total + of(table), 0);
  return {
    brand,
    title: 'Certificate of erasure',
    subtitle: `${content.clientName} (organisation ${content.organisationId})`,
    madeAt: time(content.finishedAt),
    sections: [
      {
        title: 'Erasure',
        facts: [
          ['Reason', content.reason],
          ['Requested', `${content.requestedBy.name}, ${time(content.requestedAt)}`],
          ['Confirmed', `${content.confirmedBy.name}, ${time(content.confirmedAt)}`],
          ['Started', time(content.startedAt)],
          ['Finished', time(content.finishedAt)],
        ],
      },
      {
        title: 'Deleted',
        facts: [
          ['Rows', exact(sum(({ rows }) => rows))],
          ['Bytes', exact(sum(({ bytes }) => bytes))],
          ['Files', `${exact(files.count)}, ${exact(files.bytes)} bytes`],
          ['Audit entries reduced to identifiers', exact(content.auditEntries)],
        ],
        table: {
          head: ['Table', 'Rows', 'Bytes'],
          widths: ['*', 100, 120],
          numbers: [false, true, true],
          rows: tables.map(({ table, rows, bytes }) => [table, exact(rows), exact(bytes)]),
        },
      },
      {
        title: 'Verification',
        texts: [
          'The JSON form of this certificate holds the signed content. SHA-256 is over its canonical JSON (RFC 8785), the signature is Ed25519.',
        ],
        facts: [
          ['SHA-256', sha256],
          ['Public key', publicKey],
          ['Signature', signature],
        ],
      },
    ],
  };
}

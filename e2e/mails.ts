/** A real SMTP server for the journeys: stores each received email as a file in a shared folder. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

export async function startMailServer(): Promise<{ url: string; folder: string; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parapet-mails-'));
  let taken = 0;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(', ');
        const name = `${String(++taken).padStart(5, '0')}.eml`;
        writeFile(join(folder, name), `X-Envelope-To: ${to}\r\n${Buffer.concat(parts)}`).then(() => done(), done);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    folder,
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Decodes quoted-printable text and soft line breaks, enough to find a text or a link. */
const readable = (raw: string): string =>
  raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Emails to an address that contain a text, oldest first. */
export async function mailsTo(address: string, text: string): Promise<string[]> {
  const folder = process.env.E2E_MAIL_DIR as string;
  const mails: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const mail = readable(await readFile(join(folder, name), 'utf8'));
    const [envelope = ''] = mail.split('\r\n', 1);
    if (envelope.includes(address) && mail.includes(text)) mails.push(mail);
  }
  return mails;
}

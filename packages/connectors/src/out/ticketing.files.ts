/** Files of closed cases as attachments of their tickets: each delivery has a name of its own, by which a repetition finds it. */
import type { Message, Outcome } from './target.ts';
import { TicketFailure } from './tickets.calls.ts';
import type { TicketApi, TicketFile } from './tickets.ts';

/** Event of a delivery that takes a file of the case to its ticket. */
export const fileEvent = 'case.file';

/** Bytes of one file. Autotask takes 6 to 7 MB, and 10,000,000 bytes in five minutes. */
const maxMegabytes = 5;
export const maxFileBytes = maxMegabytes * 1024 * 1024;

export const fileNameOf = ({ id, data }: Message, extension: string): string =>
  `case-${String(data.id)}-${id.slice(0, 8)}.${extension}`;

export async function attach(api: TicketApi, ticket: string, { make, ...file }: TicketFile): Promise<Outcome> {
  const now = await api.read(ticket);
  if (!now) return { kind: 'refused', words: `The ticket ${ticket} was deleted at ${api.who}.`, isGone: true };
  const accepted = (id: string): Outcome => ({
    kind: 'accepted',
    id: `${ticket} file ${id}`,
    ticket: { id: ticket, url: now.url },
  });
  if ((await api.files.list(ticket)).includes(file.name)) return accepted(file.name);
  const bytes = await make();
  if (bytes.length > maxFileBytes)
    return { kind: 'refused', words: `The file is larger than ${maxMegabytes} MB and was not attached.` };
  try {
    return accepted(await api.files.add(ticket, { ...file, bytes }));
  } catch (error) {
    // A missing right is no reason to hold the target's other deliveries back.
    if (error instanceof TicketFailure && error.status === 403 && error.outcome.kind === 'retry')
      return { kind: 'refused', words: error.message };
    throw error;
  }
}

/**
 * Time entries: one for each closing of a case, with its handling time. It holds the case's number and title and no text of a person. A repetition finds
 * it by its last line, the key of the delivery, since PSA systems have no idempotency keys.
 */
import type { Message } from './target.ts';
import { comparable, isOfOneThing, TicketFailure } from './tickets.calls.ts';
import type { TicketApi, Ticketing, TimeChoices, TimeSetup } from './tickets.ts';

const textOf = ({ id, data }: Message): string => `Handling time of case #${String(data.id)}: ${String(data.title)}\nRef: ${id}`;

/** True for the time entry that a delivery of this message left. */
export const isTimeOf = (message: Message, text: string): boolean => comparable(text) === comparable(textOf(message));

/** Minutes of an entry: at least one, at most what the administrator permits. */
const minutesOf = (handled: number, { maxMinutes }: TimeSetup): number => Math.max(1, Math.min(Math.ceil(handled), maxMinutes));

/**
 * Leaves the time entry of a closing. A refusal holds nothing else back: its reason is returned.
 * Throws `TicketFailure` where a repetition may help.
 */
export async function writeTime(
  { time }: Pick<TicketApi, 'time'>,
  message: Message,
  ticket: string,
  { setup, handledMinutes = 0 }: Ticketing,
): Promise<{ noteIds: string[]; refused?: string }> {
  const chosen = setup?.time;
  if (!chosen || handledMinutes <= 0) return { noteIds: [] };
  try {
    const left = (await time.list(ticket)).find(({ text }) => isTimeOf(message, text));
    const draft = { text: textOf(message), minutes: minutesOf(handledMinutes, chosen), until: Date.parse(message.at) };
    const id = left?.id ?? (await time.add(ticket, draft, chosen));
    return { noteIds: time.isNote ? [id] : [] };
  } catch (error) {
    if (!(error instanceof TicketFailure) || !(error.outcome.kind === 'refused' || isOfOneThing(error))) throw error;
    return { noteIds: [], refused: `No time was entered: ${error.message}` };
  }
}

/** The choices, or null for an account that may not read them: tickets need none. */
export async function timeChoices({ choices }: Pick<TicketApi['time'], 'choices'>): Promise<TimeChoices | null> {
  try {
    return await choices();
  } catch (error) {
    if (error instanceof TicketFailure && isOfOneThing(error)) return null;
    throw error;
  }
}

export const hoursOf = (minutes: number): number => Math.round((minutes / 60) * 100) / 100;

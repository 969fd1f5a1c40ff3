/**
 * Quantities of recurring services at a PSA. A kind implements the few calls of `BillingApi`; what is written when is the same for all of them: only over
 * the quantity that a person saw, and accepted only once the PSA returns the new one.
 */
import type { Values } from '../connector.ts';
import type { BillingApi } from './agreements.ts';
import type { Delivery, Message, Outcome, Send } from './target.ts';
import { sendTicket } from './ticketing.ts';
import { TicketFailure } from './tickets.calls.ts';
import type { TicketApi } from './tickets.ts';

/** Event of a delivery that sets a quantity. */
export const quantityEvent = 'billing.quantity';
const isQuantity = ({ event }: Pick<Message, 'event'>): boolean => event === quantityEvent;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Sets the quantity of a delivery, as of this attempt. A repetition after a lost answer finds it set. A difference is sent with the first attempt only:
 * later ones find the same quantity where it was lost and where the PSA does not show it yet.
 */
async function sendQuantity(api: BillingApi, { message, attempt, at }: Delivery): Promise<Outcome> {
  const { company, agreement, item, expected, quantity } = message.data;
  const place = { company: textOf(company), agreement: textOf(agreement), item: textOf(item) };
  const [from, to] = [Number(expected), Number(quantity)];
  const accepted: Outcome = { kind: 'accepted', id: `${place.agreement}/${place.item}: ${to}` };
  try {
    const now = await api.read(place, at);
    if (!now) return refused(`The agreement or its item ended or was removed at ${api.who}. Choose another.`);
    if (now.quantity === to) return accepted;
    if (now.quantity !== from)
      return refused(
        `${api.who} has ${now.quantity ?? 'no quantity'} now, not ${from} as when this was confirmed. Compare and confirm again.`,
      );
    if (api.isDifference && attempt > 1)
      return refused(`An earlier attempt was taken by ${api.who} or its result is unknown. Compare and confirm again.`);
    await api.setQuantity(place, { from, to }, at);
    const after = await api.read(place, at);
    if (after?.quantity === to) return accepted;
    return { kind: 'retry', words: `${api.who} took the quantity ${to}, but returns ${after?.quantity ?? 'none'}.` };
  } catch (error) {
    if (error instanceof TicketFailure) return error.outcome;
    throw error;
  }
}

/** Sends to a PSA: a quantity to its agreement, anything else to its ticket. */
export const sendToPsa =
  (tickets: (values: Values, send: Send) => TicketApi, billing: (values: Values, send: Send) => BillingApi) =>
  (delivery: Delivery, values: Values, send: Send): Promise<Outcome> =>
    isQuantity(delivery.message) ? sendQuantity(billing(values, send), delivery) : sendTicket(tickets(values, send), delivery);

const refused = (words: string): Outcome => ({ kind: 'refused', words });

/**
 * Quantities of recurring services at a PSA. A kind implements the few calls of `BillingApi`; what is written when is the same for all of them: only over
 * the quantity that a person saw, and accepted only once the PSA returns the new one.
 */
import type { BillingApi } from './agreements.ts';
import type { Delivery, Message, Outcome } from './target.ts';
import { TicketFailure } from './ticketing.ts';

/** Event of a delivery that sets a quantity. */
export const quantityEvent = 'billing.quantity';
export const isQuantity = ({ event }: Pick<Message, 'event'>): boolean => event === quantityEvent;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Sets the quantity of a delivery. A repetition after a lost answer finds it set. */
export async function sendQuantity(api: BillingApi, { message }: Delivery): Promise<Outcome> {
  const { company, agreement, item, expected, quantity } = message.data;
  const place = { company: textOf(company), agreement: textOf(agreement), item: textOf(item) };
  const [from, to] = [Number(expected), Number(quantity)];
  const at = Date.parse(message.at);
  try {
    const now = await api.read(place, at);
    if (!now) return { kind: 'refused', words: `The agreement or its item ended or was removed at ${api.who}. Choose another.` };
    if (now.quantity !== to) {
      if (now.quantity !== from)
        return {
          kind: 'refused',
          words: `${api.who} has ${now.quantity} now, not ${from} as when this was confirmed. Compare and confirm again.`,
        };
      await api.setQuantity(place, { from, to }, at);
    }
    const after = now.quantity === to ? now : await api.read(place, at);
    if (after?.quantity === to) return { kind: 'accepted', id: `${place.agreement}/${place.item}: ${to}` };
    return { kind: 'retry', words: `${api.who} took the quantity ${to}, but returns ${after?.quantity ?? 'none'}.` };
  } catch (error) {
    if (error instanceof TicketFailure) return error.outcome;
    throw error;
  }
}

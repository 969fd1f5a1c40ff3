/** Records of messages in systems that store events: named alike in each, or of the schema that the target chose. */
import type { Values } from '../connector.ts';
import { isOcsf, ocsfOf } from './ocsf.ts';
import type { Message } from './target.ts';

export const recordOf = ({ id, event, severity, sender, client, title, url, data }: Message) => ({
  id,
  type: event,
  severity,
  sender,
  client,
  title,
  url,
  data,
});

/** The message in the target’s format: OCSF, or what `own` makes of it. */
export const formatted = (message: Message, values: Values, own: (message: Message) => object): object =>
  isOcsf(values) ? ocsfOf(message) : own(message);

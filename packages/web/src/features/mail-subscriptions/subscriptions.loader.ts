/** First query of the email subscriptions. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { subscriptionsQuery } from './subscriptions.queries.ts';

export const list: PageLoader = ({ scope: { client, may } }) =>
  may('mailSubscriptions:write') ? [subscriptionsQuery(client)] : [];

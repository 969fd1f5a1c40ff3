import { expect, test } from 'vitest';
import { namesOf, renamed } from './new-feature.ts';
import { loader } from './new-feature.web.ts';

test('derives every form of a name', () => {
  expect(namesOf('mail-subscriptions')).toEqual({
    dashed: 'mail-subscriptions',
    camel: 'mailSubscriptions',
    pascal: 'MailSubscriptions',
    one: 'mailSubscription',
  });
  expect(namesOf('policies').one).toBe('policy');
  for (const bad of ['', 'Tag', 'tag', '../x', 'a b']) expect(() => namesOf(bad)).toThrow(/not a feature name/);
});

test('renames the golden feature', () => {
  const text =
    "import { tagsApi } from '@parapet/contract/tags.ts';\nimport { listTags, insertTag } from './tags.store.ts';\nexport type TagsService = 1; const tag = problem.notFound('tag', id); tx.selectFrom('tags'); // features/tags/";
  expect(renamed(text, namesOf('mail-subscriptions'))).toBe(
    "import { mailSubscriptionsApi } from '@parapet/contract/mail-subscriptions.ts';\nimport { listMailSubscriptions, insertMailSubscription } from './mail-subscriptions.store.ts';\nexport type MailSubscriptionsService = 1; const mailSubscription = problem.notFound('mailSubscription', id); tx.selectFrom('mail_subscriptions'); // features/mail-subscriptions/",
  );
});

test('gives the page a loader', () => {
  expect(renamed(loader, namesOf('mail-subscriptions'))).toBe(`/** First query of the mailSubscriptions page. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { mailSubscriptionsQuery } from './mail-subscriptions.queries.ts';

export const list: PageLoader = ({ scope }) => [mailSubscriptionsQuery(scope.client)];
`);
});

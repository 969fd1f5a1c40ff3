import { expect, test } from 'vitest';
import { noteSensitive, openedViews } from './sensitive.ts';

test('keeps each view of the newest page once', () => {
  noteSensitive('users', '/apps/users');
  noteSensitive('users', '/apps/users');
  expect(openedViews.get()).toEqual([{ view: 'users', path: '/apps/users' }]);
  noteSensitive('events', '/apps/events');
  noteSensitive('eventFiles', '/apps/events');
  expect(openedViews.get().map(({ view }) => view)).toEqual(['events', 'eventFiles']);
});

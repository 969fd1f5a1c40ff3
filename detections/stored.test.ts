/** Texts by which previews rule out stored events, on the pairs of all rules: no event that a rule matches may be among them. */
import { randomUUID } from 'node:crypto';
import { Block } from '@parapet/server/domain/events/block.read.ts';
import { eventsWithTexts } from '@parapet/server/domain/events/block.textFilter.ts';
import { type BlockEvent, encodeBlock } from '@parapet/server/domain/events/block.write.ts';
import { idsOf } from '@parapet/server/domain/events/eventIds.ts';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import { textFilterOf } from '@parapet/server/pipeline/past.ts';
import { expect, test } from 'vitest';
import { compiled, type Document, documentsOf, startedAt } from './testing/pairs.ts';

const { rules, matcher } = compiled();
/** Rules without such texts, by which every event is read. */
const maxWithout = 0.08;
const eventsABlock = 1_500;

test('rules out none of the matches, and most other events', { timeout: 600_000 }, async () => {
  const events = rules.flatMap(({ file }) => {
    const { matches, misses } = documentsOf(file);
    return [...matches, ...misses].map((written): BlockEvent => {
      const { document, deviceName, userName, text } = normalise(structuredClone(written), startedAt);
      const heads = { id: randomUUID(), at: startedAt, receivedAt: startedAt, clockSkew: 0, shape: 'ecs' };
      return { ...heads, document, text, deviceName: deviceName ?? null, userName: userName ?? null };
    });
  });
  const filters = new Map(rules.map((rule) => [rule, textFilterOf([rule])]));
  let [stored, matched, judged] = [0, 0, 0];
  for (let from = 0; from < events.length; from += eventsABlock) {
    const own = events.slice(from, from + eventsABlock);
    const documents = await new Block((await encodeBlock(own)).body, idsOf(own)).documents();
    const matches = own.map((_, event) => new Set(matcher.match(JSON.parse(documents.text(event)) as Document)));
    // As the past is judged, and once more when the values of a document have been others.
    for (const round of [0, 1])
      for (const [event, of] of matches.entries())
        expect(new Set(matcher.match(documents.view(event) as Document)), `round ${round}`).toEqual(of);
    for (const [rule, filter] of filters) {
      const isMatched = matches.some((of) => of.has(rule));
      if (!filter || (from > 0 && !isMatched)) continue;
      const found = eventsWithTexts(documents.parts(), filter);
      const lost = matches.flatMap((of, event) => (of.has(rule) && found?.[event] !== 1 ? [own[event]!.document] : []));
      expect(lost, rule.file).toEqual([]);
      stored += found?.reduce((sum, one) => sum + one, 0) ?? 0;
      matched += matches.filter((of) => of.has(rule)).length;
      judged += own.length;
    }
  }
  expect(matched).toBeGreaterThan(rules.length / 2);
  expect(stored / judged).toBeLessThan(0.1);
  expect([...filters.values()].filter((filter) => !filter).length / rules.length).toBeLessThan(maxWithout);
});

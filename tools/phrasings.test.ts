/** The learned weights of Sapphire's offers are those of the questions in the project. */
import { readWeights } from '@parapet/server/features/sapphire/parsing/learned.ts';
import { expect, test } from 'vitest';
import { sourceOfWeights } from './phrasings.data.ts';

test('learns the weights from these questions: npm run phrasings', () => expect(readWeights().source).toBe(sourceOfWeights()));

test('keeps no name of a question in the weights', () =>
  expect(
    readWeights().parts.filter((part) =>
      /alder|birch|cedar|dogwood|\belm\b|\bfir\b|juniper|maple|harbor|summit|priya|jhearst|mkowalski|-(?:dc|ws|srv|sql)-\d/i.test(
        part,
      ),
    ),
  ).toEqual([]));

/** Likeness of a question to the phrases of the bank, by words both ways and as a whole. */
import { dot, likeness, type Sentence, sentenceOf } from './likeness.ts';

/** Words that do not identify a phrase on their own. */
const empty = /^(?:not|no|never|without|none|with|average|highest|lowest|most|who)$/;
const [byWords, asWhole] = [0.3, 0.4];

interface Likes {
  /** To each word of the question. */
  likes: readonly number[];
  most: number;
}
export type KnownLikes = Map<string, Likes>;

const sentences = new WeakMap<readonly string[], Sentence>();
/** The sentence of a noun and a phrase of the bank, kept. */
export function sentenceWith(noun: readonly string[], phrase: readonly string[]): Sentence {
  const known = sentences.get(phrase) ?? sentenceOf([...noun, ...phrase]);
  sentences.set(phrase, known);
  return known;
}

export class Similarity {
  private readonly own: Sentence;

  private readonly carried: number;

  private readonly weight: number;

  private readonly known: KnownLikes;

  /** `carried`: weight of words that hold as they stand. `known` is of the same words. */
  constructor(words: readonly string[], carried: number, known: KnownLikes) {
    this.own = sentenceOf(words);
    this.carried = carried;
    this.known = known;
    this.weight = this.own.weights.reduce((sum, each) => sum + each, carried) || 1;
  }

  private likesOf(word: string): Likes {
    let found = this.known.get(word);
    if (!found) {
      const likes = this.own.words.map((each) => likeness(each, word));
      found = { likes, most: Math.max(0, ...likes) };
      this.known.set(word, found);
    }
    return found;
  }

  /** Place of the word of the question, besides the noun, that is most like one of the phrase; undefined if none is like it. */
  placeOf(noun: readonly string[], phrase: readonly string[], least: number): number | undefined {
    let place: number | undefined;
    let most = 0;
    for (const word of phrase) {
      if (empty.test(word)) continue;
      for (const [at, like] of this.likesOf(word).likes.entries()) {
        const own = this.own.words[at]!;
        const share = like * this.own.weights[at]!;
        if (like >= least && share > most && !noun.includes(own) && !empty.test(own)) [place, most] = [at, share];
      }
    }
    return place;
  }

  /** Up to 1. */
  of({ words, weights, vector }: Sentence): number {
    const best = new Array<number>(this.own.words.length).fill(0);
    let [found, sum] = [0, 0];
    for (const [index, word] of words.entries()) {
      const { likes, most } = this.likesOf(word);
      for (let at = 0; at < likes.length; at++) best[at] = Math.max(best[at]!, likes[at]!);
      found += weights[index]! * most;
      sum += weights[index]!;
    }
    const explained = best.reduce((all, like, at) => all + like * this.own.weights[at]!, this.carried) / this.weight;
    return byWords * (explained + found / (sum || 1)) + asWhole * Math.max(0, dot(vector, this.own.vector));
  }
}

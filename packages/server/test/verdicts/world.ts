/** Stories of the demo world as labelled cases, at sites that have their machines. Their builders know nothing of the model. */
import { siteOf } from '@parapet/world/organisations.ts';
import { randomFor } from '@parapet/world/random.ts';
import { stories } from '@parapet/world/stories/schedule.ts';
import { defaultBegin, type Label, type LabelledCase } from './cases.ts';

/** An attempt without success (passwordSpray) is left out: analysts differ on its label. */
const labels: Record<string, { label: Label; sites: number[] }> = {
  ransomware: { label: 'malicious', sites: [11, 20] },
  insider: { label: 'malicious', sites: [10, 30] },
  domainController: { label: 'malicious', sites: [10, 12] },
  mailCompromise: { label: 'malicious', sites: [10, 11] },
  cloudMining: { label: 'malicious', sites: [20, 30] },
  scanner: { label: 'benign', sites: [10, 20] },
};

export function worldCases(): LabelledCase[] {
  const start = Date.parse(defaultBegin);
  return stories.flatMap((story) => {
    const labelled = labels[story.name];
    if (!labelled) return [];
    return labelled.sites.map((id): LabelledCase => {
      const emitted = story.build({ site: siteOf(id), start, random: randomFor('labelled cases', story.name, id) });
      return {
        name: `world, site ${id}: ${story.title}`,
        label: labelled.label,
        family: 'world',
        by: 'world',
        why: `Story of the demo world: ${story.title}.`,
        events: [],
        documents: emitted
          .map(({ at, document: { _id, _index, ...document } }) => ({ at, document }))
          .sort((a, b) => a.at - b.at),
      };
    });
  });
}

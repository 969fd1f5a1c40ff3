/** Probes for Sapphire; see access.probes.ts. */
import { organisation, type Probe } from './access.probes.kinds.ts';

const conversationUUID = '0197a8c2-5d9e-7cc3-98a4-1f0d5b6e7a81';
/** An answer belongs to one person: nothing to select. */
const ofAnswer = (more: object = {}): Probe => ({
  names: 'self',
  input: async ({ world, person }) => ({
    body: { messageID: await world.newAnswer(person, conversationUUID), conversationUUID, flag: 1, ...more },
  }),
});
const ofClient = organisation(({ id }) => ({ params: { client: id } }), { takesAll: true });

export const sapphireProbes: Record<string, Probe> = {
  // Without a client it covers the caller’s whole scope, so 0 is tested in sapphire.test.ts.
  'sapphire.chat': organisation(
    ({ id }) => ({ body: { clientRequest: 'How many open cases do we have?', conversationUUID, clientOrganizationID: id } }),
    { meIsLetIn: true },
  ),
  'sapphire.flag': ofAnswer(),
  'sapphire.feedback': ofAnswer({ text: 'Helpful.' }),
  'sapphire.insertKnowledge': {
    names: 'self',
    input: async ({ world, person }) => {
      await world.letTeach(person);
      return { body: { clientKnowledge: 'The scanner runs on Mondays.' } };
    },
  },
  'sapphire.loadingPhrases': { names: 'self', input: () => ({}) },
  'sapphire.may': { names: 'self', input: () => ({}) },
  'sapphire.listQuestions': ofClient,
  'sapphire.listKnowledge': ofClient,
  'sapphire.addKnowledge': organisation(({ id }) => ({ params: { client: id }, body: { text: 'The scanner is ours.' } })),
  'sapphire.reviewKnowledge': organisation(({ id, things }) => ({
    params: { client: id, knowledge: things.knowledgeId },
    body: { state: 'approved' },
  })),
  'sapphire.listSynonyms': ofClient,
  'sapphire.addSynonym': organisation(({ id }) => ({ params: { client: id }, body: { from: `gizmo ${id}`, to: 'devices' } })),
  'sapphire.removeSynonym': organisation(({ id, things }) => ({ params: { client: id, synonym: things.synonymId } })),
  'sapphire.listTeachers': organisation(({ id }) => ({ params: { client: id } })),
  'sapphire.setTeacher': organisation(({ id, things }) => ({
    params: { client: id, user: things.userId },
    body: { isTeacher: true },
  })),
};

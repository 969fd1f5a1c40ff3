/** Concurrent people and agents in random order: no errors, and flags that match the ledger. */
import type { AgentTask } from '@parapet/contract/agentProtocol.ts';
import { randomFor } from '@parapet/world/random.ts';
import { beforeAll, expect, test } from 'vitest';
import { agentOf, free } from '../../../test/agents.fixture.ts';
import { responsesWorld } from '../../../test/responses.fixture.ts';
import { seedCase } from '../../../test/seed.ts';
import { useFixture } from '../../../test/use.ts';

const world = useFixture(responsesWorld, (fixture) => fixture.t.close());
beforeAll(async () => {
  await world.waiveApproval();
});

test.each([1, 2, 3])('keeps flags and ledger consistent for seed %i', async (seed) => {
  const { t, client, system, analyst, aDevice, request, undo, confirm, approve, later, newName } = world;
  const random = randomFor('responses', seed);
  const byHand = await aDevice();
  const agents = [await agentOf(t, client, newName('agent')), await agentOf(t, client, newName('agent'))];
  const names = await system(async (tx) => [
    byHand.name,
    ...(
      await tx
        .selectFrom('devices')
        .select('name')
        .where(
          'id',
          'in',
          agents.map(({ deviceId }) => deviceId),
        )
        .execute()
    ).map(({ name }) => name),
  ]);
  // The same devices in two cases: their requests meet crosswise.
  const cases = [
    await seedCase(t.db, { organisationId: client, device: names[0]! }),
    await seedCase(t.db, { organisationId: client, device: names[1]! }),
  ];
  const people = await Promise.all(Array.from({ length: 4 }, () => analyst()));
  const known = async () =>
    (await system((tx) => tx.selectFrom('responses').select('id').where('target', 'in', names).execute())).map(({ id }) => id);

  const act = async (): Promise<number> => {
    const by = random.pick(people);
    const ids = await known();
    const id = ids.length > 0 ? random.pick(ids) : 0;
    const kind = random.int(0, 9);
    if (kind < 4 || id === 0) {
      const caseID = random.pick([undefined, cases[0]!.id, cases[1]!.id]);
      const action = random.pick(['isolate', 'isolate', 'unisolate'] as const);
      return (await request(by, { target: random.pick(names), action, ...(caseID && { caseID }) })).statusCode;
    }
    if (kind < 6) return (await undo(by, id)).statusCode;
    if (kind < 8) return (await confirm(by, id, random.chance(0.8))).statusCode;
    if (kind < 9) return (await approve(by, id, random.chance(0.8))).statusCode;
    await later(random.pick([0, 90 * 60_000])).release();
    return 200;
  };
  const answerTasks = async (agent: (typeof agents)[number]): Promise<number> => {
    const tasks: AgentTask[] = (await agent.pollTasks(0)).json().tasks;
    const task = tasks[0];
    if (!task) return 200;
    const state = random.pick(['acknowledged', 'verified', 'failed'] as const);
    return (await agent.result(task.id, { sequence: task.sequence, state, detail: '' })).statusCode;
  };
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([...Array.from({ length: 5 }, act), ...agents.map(answerTasks)]);
    expect(answers.filter((status) => status >= 500)).toEqual([]);
    if (round % 5 === 4)
      await Promise.all(
        agents.map((agent) =>
          agent.checkIn({ holding: random.chance(0.5) ? free : { ...free, isIsolated: true, releaseInSeconds: 60 } }),
        ),
      );
  }

  const [flags, responses] = await system(async (tx) => [
    await tx
      .selectFrom('response_flags')
      .selectAll()
      .where(
        'value_key',
        'in',
        names.map((name) => name.toLowerCase()),
      )
      .execute(),
    await tx.selectFrom('responses').selectAll().where('target', 'in', names).execute(),
  ]);
  expect(responses.length).toBeGreaterThan(10);
  for (const name of names) {
    const holding = responses.filter(
      ({ target, action, state }) =>
        target === name && action === 'isolate' && (state === 'acknowledged' || state === 'verified'),
    );
    const flag = flags.find(({ value_key }) => value_key === name.toLowerCase());
    expect(holding.map(({ id }) => id)).toEqual(flag ? [flag.response_id] : []);
    for (const { state, release_at } of responses.filter(({ target }) => target === name))
      if (state === 'released' || state === 'expired') expect(release_at).toBeNull();
  }
});

import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that replace a module or measure memory or time of the process: each has a process of its own, the others share one per worker. */
const alone = [
  'packages/server/test/access.invariants.test.ts',
  'packages/server/test/bodies.test.ts',
  'packages/server/test/budgets.test.ts',
  'packages/server/src/core/passwords.test.ts',
  'packages/server/src/features/connections/connections.inputs.test.ts',
];

/** Learns at most 2,000 log sources that events state in a process: tests with hostile events learn as many. */
const aloneUnits = ['packages/sigma/src/logsource.test.ts'];

/** Kills, floods, whole corpora, isolated hosts, and sweeps over every call, kind, text and attribute: minutes each, left to `.ci/run`. */
const long = 'packages/server/**/*.long.test.ts';

/** Against hangs alone: speed has benchmarks, and other work may share the machine. */
const patient = { testTimeout: 30_000, hookTimeout: 30_000 };

const server = {
  ...patient,
  include: ['packages/server/**/*.test.ts'],
  globalSetup: ['packages/server/test/database.setup.ts'],
};

export default defineConfig({
  test: {
    // One less than the cores by default: on two cores, half of them.
    maxWorkers: 2,
    projects: [
      { test: { ...patient, name: 'house', include: ['tools/**/*.test.ts'] } },
      {
        test: {
          ...patient,
          name: 'unit',
          isolate: false,
          exclude: [...configDefaults.exclude, ...aloneUnits],
          include: ['packages/{agent,connectors,contract,sigma,world,web}/**/*.test.{ts,tsx}', 'detections/**/*.test.ts'],
        },
      },
      { test: { ...patient, name: 'unit-alone', include: aloneUnits } },
      { test: { ...server, name: 'server', exclude: [...configDefaults.exclude, ...alone, long], isolate: false } },
      { test: { ...server, name: 'server-alone', include: alone } },
      { test: { ...server, name: 'server-long', include: [long], isolate: false } },
    ],
  },
});

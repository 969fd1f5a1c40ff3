import { defineConfig } from '@playwright/test';
import { chromiumPath } from '../tools/e2e-tools.ts';

const executablePath = chromiumPath();

/** Walks over every page, a power cut and first starts: half of the time, and rarely what a change breaks. */
const walked = ['accessibility', 'loaders', 'addresses', 'durability', 'first-start', 'first-hour'];
/** They wait for jobs that run each minute. */
const waiting = ['field-coverage', 'incidents', 'retention', 'tickets'];
/** Of minutes each, as of 3,800 rules or a month played through. */
const lengthy = ['attack-graph', 'consent', 'past-searches', 'rule-packs', 'rule-studio', 'vendors'];
/** With real programs on the other side: agents, collectors, shippers, targets and clients of protocols. */
const withPeers = ['agent', 'assistants', 'chat', 'collectors', 'deliveries', 'imports', 'shippers', 'syslog'];
/** Tests of the same walk for further personas and pages, and those that wait for minutes: left to `npm run surveys`. */
const surveyed = /@survey/;
const walks = [...walked, ...waiting, ...lengthy, ...withPeers].map((name) => `${name}.e2e.ts`);

// Playwright requires a default export.
export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testMatch: '*.e2e.ts', testIgnore: walks, grepInvert: surveyed },
    { name: 'walks', testMatch: walks, grepInvert: surveyed },
    { name: 'surveys', testMatch: '*.e2e.ts', grep: surveyed },
  ],
  globalSetup: './global.setup.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  // Generous, for busy machines.
  timeout: 90_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    // Set by the global setup; the workers read this file after it.
    ...(process.env.E2E_URL && { baseURL: process.env.E2E_URL }),
    // Below the test timeout, so that a hanging action is reported by name.
    actionTimeout: 45_000,
    navigationTimeout: 60_000,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Without motion and V8's helper threads: on two cores a quarter less time.
    contextOptions: { reducedMotion: 'reduce' },
    // Actions and requests only: pictures and snapshots of each action cost a fifth of the time. `--trace on` records them.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--js-flags=--single-threaded',
      ],
    },
  },
});

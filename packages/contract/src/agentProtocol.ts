/**
 * What an agent and the portal say to each other, below `/agent`: not a person's calls. Every request but enrolment carries `Authorization: Bearer <agent key>`;
 * the key says which agent and which organisation it is, never the body. Times that decide travel as durations, because clocks jump.
 */
import { z } from 'zod';
import { count, instant, line } from './primitives.ts';

/** Typed tasks only: nothing here becomes a command line. */
export const agentActions = ['isolate', 'unisolate', 'blockUser', 'unblockUser', 'killProcess', 'collectFile'] as const;
export type AgentAction = (typeof agentActions)[number];

const short = z.string().trim().min(1).max(255);
/** Linux names of accounts, as `useradd` allows them and directories give them. */
export const accountName = z.string().regex(/^[A-Za-z_][\w.@\\-]{0,254}\$?$/, 'This is no name of an account.');

export const enrolment = z.object({
  token: z.string().max(100).describe('Enrolment token.'),
  name: short.describe('Host name.'),
  machineId: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .describe('Content of /etc/machine-id.'),
  platform: z.enum(['linux-x64', 'linux-arm64']).describe('Package platform.'),
  version: z.string().max(40).describe('Agent version.'),
  /** Enrolled before: a host that has an agent is taken over only by whoever holds that agent’s key. */
  previousKey: z.string().max(100).optional(),
});
export type Enrolment = z.infer<typeof enrolment>;

/** A public key that tasks are signed with. */
export const taskKey = z.object({
  generation: z.number().int().min(1).describe('Generation of this installation’s keys.'),
  publicKey: z.string().max(200).describe('Ed25519, SPKI as DER in base64.'),
  endorsement: z.string().max(200).describe('Signature by the previous key (taskSignature.ts), base64url; empty without one.'),
});
export type TaskKey = z.infer<typeof taskKey>;
/** Oldest first. Missing from a portal that signs nothing yet. */
const taskKeys = z.array(taskKey).max(100).optional();

export const enrolled = z.object({
  agentId: z.number().int(),
  key: z.string().max(100).describe('The agent’s key, returned once.'),
  organisationName: line,
  /** PEM of the Ed25519 key that packages must be signed with; empty where no packages are given out. */
  releaseKey: z.string().max(500),
  taskKeys,
});
export type Enrolled = z.infer<typeof enrolled>;

export const packageEcosystems = ['Debian', 'Ubuntu', 'Alpine', 'Red Hat', 'npm', 'PyPI', 'other'] as const;
const installedPackage = z.object({
  name: short,
  version: z.string().max(255),
  /** OSV’s name of the ecosystem with its release, such as "Debian:12". */
  ecosystem: z.string().max(60),
  /** The source package, where the ecosystem’s advisories speak of that one. */
  source: z.string().max(255).default(''),
});
export const inventory = z.object({
  system: z.object({
    hostname: short,
    os: line.describe('PRETTY_NAME of /etc/os-release.'),
    kernel: z.string().max(255),
    architecture: z.string().max(40),
    processors: count,
    memoryBytes: count,
    bootedAt: instant.nullable(),
  }),
  packages: z.array(installedPackage).max(20_000),
  users: z.array(z.object({ name: short, uid: count, shell: z.string().max(255), isLocked: z.boolean() })).max(5_000),
  addresses: z.array(z.object({ interface: short, address: z.string().max(64), mac: z.string().max(40).default('') })).max(500),
  listening: z
    .array(
      z.object({
        protocol: z.enum(['tcp', 'udp']),
        address: z.string().max(64),
        port: z.number().int().min(0).max(65_535),
        process: z.string().max(255).default(''),
      }),
    )
    .max(5_000),
});
export type Inventory = z.infer<typeof inventory>;

/** What holds on the host now, as the agent itself sees it. */
export const holding = z.object({
  isIsolated: z.boolean(),
  /** Until the dead man’s release, in seconds; null when not isolated. */
  releaseInSeconds: z.number().int().min(0).nullable(),
  blockedUsers: z.array(accountName).max(1_000),
});
export type Holding = z.infer<typeof holding>;

export const checkIn = z.object({
  version: z.string().max(40),
  /** Hash of the inventory; the whole is sent when the portal asks for it. */
  inventoryHash: z.string().max(64),
  inventory: inventory.optional(),
  holding,
  buffer: z.object({
    bytes: count,
    limitBytes: count,
    isFull: z.boolean(),
    events: count.describe('Number of buffered events.'),
  }),
  /** Since the agent started: events shipped, and what was not, by reason. */
  shipped: count,
  dropped: z.record(z.string().max(60), count),
  errors: z.array(line).max(20).describe('Recent errors, newest first.'),
  /** The highest sequence number that was taken up. */
  lastSequence: count,
  /** The public key that this agent has pinned for tasks; empty while it has none. Missing from agents that check no signatures. */
  taskKey: z.string().max(200).optional(),
  /** Tasks that were refused for their signature since the last check-in, oldest first. Their content is not to be trusted. */
  refusedTasks: z
    .array(z.object({ sequence: count, reason: line }))
    .max(20)
    .optional(),
  upgrade: z.object({ version: z.string().max(40), state: z.enum(['installed', 'refused', 'failed']), detail: line }).optional(),
});
export type CheckIn = z.infer<typeof checkIn>;

export const checkInAnswer = z.object({
  nextInSeconds: z.number().int().min(5).max(3_600),
  wantsInventory: z.boolean(),
  /** Where the agent has pinned another key than the newest, or none. */
  taskKeys,
  /** A package to change to; the agent takes it only when its signature holds and it is newer. */
  upgrade: z
    .object({
      version: z.string().max(40),
      platform: z.string().max(40),
      sha256: z.string().length(64),
      size: count,
      signature: z.string().max(200),
    })
    .nullable(),
});
export type CheckInAnswer = z.infer<typeof checkInAnswer>;

export const taskSignature = z.object({
  agentId: z.number().int().describe('Target agent; any other agent refuses the task.'),
  nonce: z.string().max(64).describe('Nonce of the agent’s request.'),
  issuedAt: instant,
  expiresAt: instant,
  publicKey: z.string().max(200).describe('Public key of the signature.'),
  value: z.string().max(200).describe('Ed25519 over taskMessage, base64url.'),
});
export type TaskSignature = z.infer<typeof taskSignature>;

export const agentTask = z.object({
  id: z.number().int().min(1),
  /** Grows with each task of this agent: one that is not above the last is refused. */
  sequence: z.number().int().min(1),
  action: z.enum(agentActions),
  /** Account, process id or path; empty for isolation. */
  target: z.string().max(4_096),
  /** For killProcess, the program’s name that must still have that id; for collectFile, the most bytes to take. */
  expectedName: z.string().max(255).default(''),
  maxBytes: count.default(0),
  /** The dead man’s release of an isolation, unless it is renewed. */
  releaseInSeconds: z
    .number()
    .int()
    .min(60)
    .max(30 * 86_400)
    .nullable(),
  /** From receipt; too old, it is not done. */
  expiresInSeconds: z.number().int().min(0),
  signature: taskSignature.optional(),
});
export type AgentTask = z.infer<typeof agentTask>;
export const agentTasks = z.object({ tasks: z.array(agentTask).max(100), taskKeys });
export type AgentTasks = z.infer<typeof agentTasks>;

/** acknowledged: done, as far as the command said; verified: the agent looked, and it is so. */
export const taskResultStates = ['acknowledged', 'verified', 'failed'] as const;
export const taskResult = z.object({
  sequence: z.number().int().min(1),
  state: z.enum(taskResultStates),
  detail: line.describe('Observation, or reason of the failure.'),
  file: z.object({ path: z.string().max(4_096), sha256: z.string().length(64), size: count }).optional(),
});
export type TaskResult = z.infer<typeof taskResult>;

/** Paths below the portal’s address. */
export const agentPaths = {
  enrol: '/agent/enrol',
  checkIn: '/agent/check-in',
  /** ?after=<sequence>&wait=<seconds, at most 50>&nonce=<of this question> : answers at once when there is a task, else when one comes or the time is over. */
  tasks: '/agent/tasks',
  /** /agent/tasks/:id/result */
  result: (id: number | string) => `/agent/tasks/${id}/result`,
  /** PUT the bytes of a collected file; answers nothing. */
  file: (id: number | string) => `/agent/tasks/${id}/file`,
  package: (version: string, platform: string) => `/agent/packages/${version}/${platform}`,
  /** Events go where every shipper sends them, with the agent’s key. */
  bulk: '/ingest/_bulk',
} as const;

/** The most that a collected file may have. */
export const maxCollectedBytes = 64 * 1024 * 1024;
/** A package is one script. */
export const maxPackageBytes = 32 * 1024 * 1024;

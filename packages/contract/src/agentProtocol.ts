/**
 * Protocol between agent and portal, below `/agent`. Every request except enrolment carries `Authorization: Bearer <agent key>`; the key
 * identifies agent and organisation, never the body. Decisive times travel as durations, because clocks jump.
 */
import { z } from 'zod';
import { count, instant, line } from './primitives.ts';

/** Task types; none of them becomes a command line. */
export const agentActions = ['isolate', 'unisolate', 'blockUser', 'unblockUser', 'killProcess', 'collectFile', 'leave'] as const;
export type AgentAction = (typeof agentActions)[number];

const short = z.string().trim().min(1).max(255);
/** Linux account names as allowed by `useradd` and directory services. */
export const accountName = z.string().regex(/^[A-Za-z_][\w.@\\-]{0,254}\$?$/, 'Enter a valid account name.');

export const enrolment = z.object({
  token: z.string().max(100).describe('Enrolment token.'),
  name: short.describe('Host name.'),
  machineId: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .describe('Content of /etc/machine-id.'),
  platform: z.enum(['linux-x64', 'linux-arm64']).describe('Package platform.'),
  version: z.string().max(40).describe('Agent version.'),
  /** Key of an earlier enrolment. Required to re-enrol a host that already has an agent. */
  previousKey: z.string().max(100).optional(),
});
export type Enrolment = z.infer<typeof enrolment>;

/** Public key for task signatures. */
export const taskKey = z.object({
  generation: z.number().int().min(1).describe('Generation of this installation’s keys.'),
  publicKey: z.string().max(200).describe('Ed25519, SPKI as DER in base64.'),
  endorsement: z.string().max(200).describe('Signature by the previous key (taskSignature.ts), base64url; empty without one.'),
});
export type TaskKey = z.infer<typeof taskKey>;
/** Oldest first. Absent from portals that do not sign tasks yet. */
const taskKeys = z.array(taskKey).max(100).optional();

export const enrolled = z.object({
  agentId: z.number().int(),
  key: z.string().max(100).describe('The agent’s key, returned once.'),
  organisationName: line,
  /** PEM of the Ed25519 key for package signatures; empty when no packages are offered. */
  releaseKey: z.string().max(500),
  taskKeys,
});
export type Enrolled = z.infer<typeof enrolled>;

const installedPackage = z.object({
  name: short,
  version: z.string().max(255),
  /** OSV ecosystem with its release, such as "Debian:12". */
  ecosystem: z.string().max(60),
  /** Source package, where the ecosystem's advisories refer to it. */
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
    /** Of the hardware; absent where the firmware names none. */
    serial: z.string().max(100).optional(),
    /** Of the virtual machine, as its cloud names it. */
    cloudInstance: z.string().max(100).optional(),
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

/** State of the host as observed by the agent. */
export const holding = z.object({
  isIsolated: z.boolean(),
  /** Seconds until the automatic release; null when not isolated. */
  releaseInSeconds: z.number().int().min(0).nullable(),
  blockedUsers: z.array(accountName).max(1_000),
});
export type Holding = z.infer<typeof holding>;

export const checkIn = z.object({
  version: z.string().max(40),
  /** Hash of the inventory, which is sent in full on request. */
  inventoryHash: z.string().max(64),
  inventory: inventory.optional(),
  holding,
  buffer: z.object({
    bytes: count,
    limitBytes: count,
    isFull: z.boolean(),
    events: count.describe('Number of buffered events.'),
  }),
  /** Events shipped and dropped since the agent started, the latter by reason. */
  shipped: count,
  dropped: z.record(z.string().max(60), count),
  errors: z.array(line).max(20).describe('Recent errors, newest first.'),
  /** Highest sequence number accepted. */
  lastSequence: count,
  /** Public key pinned for tasks; empty without one. Absent from agents that verify no signatures. */
  taskKey: z.string().max(200).optional(),
  /** Tasks refused for their signature since the last check-in, oldest first. Their content is untrusted. */
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
  /** Present when the agent has pinned an older key, or none. */
  taskKeys,
  /** Upgrade offer, accepted only with a valid signature and a newer version. */
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
  /** Increases with each task of the agent; a task that is not above the last one is refused. */
  sequence: z.number().int().min(1),
  action: z.enum(agentActions),
  /** Account, process ID or path; empty for isolation. */
  target: z.string().max(4_096),
  /** killProcess: required program name of the process. collectFile: maximum size in bytes. */
  expectedName: z.string().max(255).default(''),
  maxBytes: count.default(0),
  /** Automatic release of an isolation, unless renewed. */
  releaseInSeconds: z
    .number()
    .int()
    .min(60)
    .max(30 * 86_400)
    .nullable(),
  /** Lifetime from receipt; expired tasks are not executed. */
  expiresInSeconds: z.number().int().min(0),
  signature: taskSignature.optional(),
});
export type AgentTask = z.infer<typeof agentTask>;
export const agentTasks = z.object({ tasks: z.array(agentTask).max(100), taskKeys });
export type AgentTasks = z.infer<typeof agentTasks>;

/** acknowledged: the command reported success; verified: the agent observed the effect. */
export const taskResultStates = ['acknowledged', 'verified', 'failed'] as const;
export const taskResult = z.object({
  sequence: z.number().int().min(1),
  state: z.enum(taskResultStates),
  detail: line.describe('Observation, or reason of the failure.'),
  file: z.object({ path: z.string().max(4_096), sha256: z.string().length(64), size: count }).optional(),
});
export type TaskResult = z.infer<typeof taskResult>;

/** Paths below the portal's URL. */
export const agentPaths = {
  enrol: '/agent/enrol',
  checkIn: '/agent/check-in',
  /** Long poll: ?after=<sequence>&wait=<seconds, at most 50>&nonce=<of this request>. Returns at once when a task is pending. */
  tasks: '/agent/tasks',
  /** /agent/tasks/:id/result */
  result: (id: number | string) => `/agent/tasks/${id}/result`,
  /** PUT with the bytes of a collected file; no response body. */
  file: (id: number | string) => `/agent/tasks/${id}/file`,
  package: (version: string, platform: string) => `/agent/packages/${version}/${platform}`,
  /** Intake of events, shared with all shippers; authenticated by the agent's key. */
  bulk: '/ingest/_bulk',
} as const;

/** Maximum size of a collected file. */
export const maxCollectedBytes = 64 * 1024 * 1024;
/** Maximum size of a package, which is one script. */
export const maxPackageBytes = 32 * 1024 * 1024;

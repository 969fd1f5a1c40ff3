/** Responses of the demo outside its cases: one in every state, a client’s approval rules and its protected assets. At the end of the year. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { dayMs, hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import type { movableClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';

export interface ResponseActions {
  /** Returns the request’s id. */
  request(actor: Actor, body: InputOf<typeof responseRequestsApi.request>['body']): Promise<number>;
  approve(actor: Actor, id: number, isApproved: boolean, note: string): Promise<unknown>;
  /** Approves the request if it waits for approval. */
  approveWaiting(actor: Actor, id: number): Promise<unknown>;
  undo(actor: Actor, id: number, note: string): Promise<number>;
  addRule(actor: Actor, organisationId: number, rule: InputOf<typeof responseRequestsApi.addRule>['body']): Promise<unknown>;
  protect(actor: Actor, organisationId: number, kind: 'device' | 'user', value: string, reason: string): Promise<unknown>;
  confirm(actor: Actor, id: number): Promise<unknown>;
}

/** Cedar Credit Union, of the partner Harbor. */
const client = 12;

type Step = [ago: number, run: () => Promise<unknown>];

interface Scene {
  actions: ResponseActions;
  clock: ReturnType<typeof movableClock>;
  end: number;
  analyst: Actor;
  colleague: Actor;
  admin: Actor;
  workstations: [string, string, string];
  controller: string;
  server: string;
}

export async function playResponses({
  db,
  clock,
  actions,
  actor,
  end,
  log,
}: {
  db: Database;
  clock: ReturnType<typeof movableClock>;
  actions: ResponseActions;
  actor: (persona: string) => Actor;
  /** The end of the history. */
  end: number;
  log: Log;
}): Promise<void> {
  const devices = await scoped(db, { organisationIds: [client] }, (tx) =>
    tx.selectFrom('devices').select(['name', 'device_type']).where('organisation_id', '=', client).orderBy('name').execute(),
  );
  const namesOf = (type: string) => devices.filter(({ device_type }) => device_type === type).map(({ name }) => name);
  const servers = namesOf('server');
  const [first, second, third] = namesOf('workstation');
  const controller = servers.find((name) => /dc/i.test(name)) ?? servers[0];
  const server = servers.find((name) => name !== controller);
  if (!first || !second || !third || !controller || !server) return;
  const [analyst, colleague, admin] = [actor('partnerAnalyst'), actor('partnerSuperAnalyst'), actor('partnerAdmin')];
  const scene: Scene = {
    actions,
    clock,
    end,
    analyst,
    colleague,
    admin,
    workstations: [first, second, third],
    controller,
    server,
  };
  const steps = [...settingSteps(scene), ...requestSteps(scene)];
  for (const [ago, run] of steps) {
    clock.moveTo(end - ago);
    await run().catch((error) => log.warn({ err: error }, 'a step of the demo responses was refused'));
  }
  clock.moveTo(end);
}

/** Protected assets and approval rules. */
const settingSteps = ({ actions, admin, controller, server }: Scene): Step[] => [
  [6 * dayMs, () => actions.protect(admin, client, 'device', controller, 'Domain controller: all sign-ins depend on it.')],
  [6 * dayMs, () => actions.protect(admin, client, 'device', server, 'Core banking: branches depend on it.')],
  [6 * dayMs, () => actions.protect(admin, client, 'user', 'svc-backup', 'Runs the nightly backup of the core banking system.')],
  [
    6 * dayMs,
    () =>
      actions.addRule(admin, client, {
        action: 'isolate',
        deviceType: 'server',
        hours: 'always',
        approvers: 'partner',
        persons: 1,
        waitMinutes: 24 * 60,
      }),
  ],
  [
    6 * dayMs,
    () =>
      actions.addRule(admin, client, {
        action: 'blockUser',
        deviceType: null,
        hours: 'outsideWorkingHours',
        approvers: 'nobody',
      }),
  ],
];

/** Requests that end in every state. */
function requestSteps(scene: Scene): Step[] {
  const { actions, clock, end, analyst, colleague, admin, controller, server } = scene;
  const [first, second, third] = scene.workstations;
  const request = { clientOrganizationID: client, action: 'isolate', target: first, note: '' } as const;

  return [
    [
      5 * dayMs,
      async () => {
        const id = await actions.request(analyst, { ...request, note: 'Beacons to a host on last night’s list.' });
        clock.moveTo(end - 5 * dayMs + 12 * minuteMs);
        await actions.confirm(analyst, id);
        clock.moveTo(end - 5 * dayMs + 7 * hourMs);
        await actions.confirm(analyst, await actions.undo(colleague, id, 'Reinstalled from the image.'));
      },
    ],
    [
      3 * dayMs,
      async () => {
        const kill = { action: 'killProcess', target: '4312', expectedName: 'rclone.exe', deviceName: controller } as const;
        const id = await actions.request(analyst, { ...request, ...kill, note: 'Copies file shares to a cloud service.' });
        clock.moveTo(end - 3 * dayMs + 9 * minuteMs);
        await actions.approve(colleague, id, false, 'This is the copy job agreed with the client.');
      },
    ],
    [
      26 * hourMs,
      () => actions.request(colleague, { ...request, action: 'blockUser', target: 'temp.audit', note: 'Contract ended.' }),
    ],
    [
      3 * hourMs,
      async () => {
        const id = await actions.request(analyst, {
          ...request,
          target: second,
          releaseAfterHours: 72,
          note: 'Waits for forensics.',
        });
        clock.moveTo(end - 3 * hourMs + 20 * minuteMs);
        await actions.confirm(colleague, id);
      },
    ],
    [
      40 * minuteMs,
      async () => {
        const id = await actions.request(analyst, {
          ...request,
          target: server,
          note: 'Connects to an address of the same group.',
        });
        clock.moveTo(end - 30 * minuteMs);
        await actions.approve(admin, id, true, 'The branches are closed now.');
      },
    ],
    [
      20 * minuteMs,
      () => {
        const file = { action: 'collectFile', target: 'C:\\Windows\\Temp\\upd.dll', deviceName: server } as const;
        return actions.request(analyst, { ...request, ...file, note: 'For malware analysis.' });
      },
    ],
    [10 * minuteMs, () => actions.request(colleague, { ...request, target: third, note: 'Opened the attachment.' })],
  ];
}

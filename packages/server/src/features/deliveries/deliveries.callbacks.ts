/**
 * POST /callback/:address: requests of targets to the portal. Nothing is believed before its proof, and then only what it names: tickets are read at
 * the PSA, and a press is judged by the rights of its person (docs/decisions/0127-callbacks.md).
 */
import { VendorError } from '@parapet/connectors/errors.ts';
import type { CallbackRequest, Callbacks } from '@parapet/connectors/out/target.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { publish } from '../../core/bus.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import * as store from './deliveries.callbacks.store.ts';
import type { Chat } from './deliveries.chat.ts';
import { createSend } from './deliveries.http.ts';
import { openSecrets, type TurnDeps } from './deliveries.turn.ts';
import { validValues } from './deliveries.vault.ts';

/** Slack repeats the message of a press within it. */
const maxBytes = 256 * 1024;

export interface CallbackDeps extends TurnDeps {
  chat: Pick<Chat, 'pressed'>;
  /** Counts a request of an address; throws tooManyRequests while it has to wait. */
  throttle: (what: string, address: string) => void;
}

interface Reply {
  status: number;
  error?: string;
}

export type Receive = (address: string, request: CallbackRequest) => Promise<Reply>;

const unknown: Reply = { status: 404, error: 'This address is unknown. Copy it again from the portal.' };
const unproven: Reply = { status: 401, error: 'The signature is missing, wrong or too old.' };
const repeated: Reply = { status: 409, error: 'This request was received before.' };
const done: Reply = { status: 200 };

export function createReceive(deps: CallbackDeps): Receive {
  const { db, clock, kindOf } = deps;

  const proven = async (target: store.CallbackTarget, callbacks: Callbacks, request: CallbackRequest) => {
    const secrets = await openSecrets(deps, target);
    const { send } = createSend(deps.outbound, Object.values(secrets));
    const values = validValues(kindOf(target.kind)!, target.settings, secrets, clock.now());
    const proof = await callbacks.prove(request, values, send);
    return proof === undefined ? undefined : { target, callbacks, values, send, proof };
  };

  const taken = async (addressed: store.CallbackTarget, callbacks: Callbacks, request: CallbackRequest) => {
    const atAddress = await proven(addressed, callbacks, request);
    if (!atAddress) return unproven;
    const meaning = callbacks.read(request);
    // One app in Slack has one address for all of its targets: the secret of the message's own target has to prove the press too.
    const other =
      meaning?.kind === 'press'
        ? await readScoped(db, 'system', (tx) => store.findTargetOfMessage(tx, addressed, meaning.press.messageId))
        : undefined;
    const { proof, ...place } = (other && (await proven(other, callbacks, request))) ?? atAddress;
    const { target } = place;
    if (callbacks.isOnce && !(await scoped(db, 'system', (tx) => store.receive(tx, target, proof, new Date(clock.now())))))
      return repeated;
    if (meaning?.kind === 'tickets')
      await scoped(db, 'system', async (tx) => {
        if (await store.touchTickets(tx, target.id, meaning.ids, new Date(clock.now()))) await publish(tx, 'tickets.due', {});
      });
    if (meaning?.kind === 'press') await deps.chat.pressed(place, meaning.press);
    return done;
  };

  return async (address, request) => {
    const target = await readScoped(db, 'system', (tx) => store.findCallbackTarget(tx, address));
    const callbacks = target && kindOf(target.kind)?.callbacks;
    if (!target || !callbacks) return unknown;
    return taken(target, callbacks, request).catch((error): Reply => {
      // Keys of the other side can't be fetched, or the stored secrets not be read.
      if (error instanceof VendorError) return { status: 503, error: error.message };
      throw error;
    });
  };
}

interface RouteDeps extends Pick<CallbackDeps, 'clock' | 'throttle'> {
  isUnderMaintenance: boolean;
}

export async function callbackRoutes(app: FastifyInstance, receive: Receive, deps: RouteDeps) {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, made) => made(null, body));
    scope.route({
      method: 'POST',
      url: '/callback/:address',
      config: { operation: 'open' },
      bodyLimit: maxBytes,
      onRequest: async (request) => {
        deps.throttle('callback', request.ip);
        if (deps.isUnderMaintenance) throw problem.unavailable('The portal is under maintenance.', 300);
      },
      handler: async (request: FastifyRequest, reply) => {
        const { address } = request.params as { address: string };
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const { status, error } = await receive(address, { headers: request.headers, body, at: deps.clock.now() });
        reply.code(status).header('cache-control', 'no-store');
        return error === undefined ? reply.send() : reply.send({ error });
      },
    });
  });
}

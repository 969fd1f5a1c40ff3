/**
 * Simulated SMS provider, from Twilio's description of its Messages resource (twilio.com/docs/messaging/api/message-resource): a form with To, From and
 * Body returns 201 with a `sid`.
 */
import { type Peer, servePeer } from './peer.ts';

const account = 'ACdemo';
const authorization = `Basic ${Buffer.from(`${account}:demoDemoDemo`).toString('base64')}`;
const path = `/2010-04-01/Accounts/${account}/Messages.json`;

/** Starts a simulated provider. */
export const startSms = (port?: number): Promise<Peer> => {
  let sent = 0;
  return servePeer(
    'sms',
    port,
    ({ method, url, headers, body }) => {
      const error = (status: number, code: number, message: string) => ({ status, body: { code, message, status } });
      if (method !== 'POST' || url.pathname !== path) return error(404, 20_404, 'The requested resource was not found');
      if (headers.authorization !== authorization) return error(401, 20_003, 'Authenticate');
      const form = new URLSearchParams(body);
      if (!/^\+\d{6,15}$/.test(form.get('To') ?? '')) return error(400, 21_211, `Invalid 'To' Phone Number: ${form.get('To')}`);
      const text = form.get('Body') ?? '';
      if (text === '' || text.length > 1_600)
        return error(400, 21_617, 'The concatenated message body exceeds the 1600 character limit');
      return {
        status: 201,
        body: { sid: `SMdemo${String(++sent).padStart(8, '0')}`, status: 'queued', to: form.get('To'), body: text },
      };
    },
    (url) => ({ url: `${url}${path}`, authorization, to: '+15550123', form: 'To={to}\nFrom=+15550100\nBody={text}' }),
  );
};

/** Text messages by any provider with an HTTP form: the fields that providers such as Twilio, Vonage and sipgate describe differ only in their names. */

import { failureOf, isSuccess, jsonOf } from './outcomes.ts';
import type { Message, TargetKind } from './target.ts';
import { addressFault, addressPattern } from './webhook.ts';

const maxText = 300;

export const smsText = ({ sender, client, title, url }: Message): string => {
  const text = `${sender}: ${client}: ${title}`.replace(/[\p{Cc}\s]+/gu, ' ');
  const room = maxText - url.length - 1;
  return `${text.length > room ? `${text.slice(0, room - 1).toWellFormed()}…` : text} ${url}`;
};

/** Lines `name=value`, in which {to} and {text} are replaced. */
export function smsForm(template: string, to: string, text: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const line of template.split('\n')) {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined)
      form.append(
        name,
        value.replace(/\{(to|text)\}/g, (_, place) => (place === 'to' ? to : text)),
      );
  }
  return form;
}

const idNames = ['sid', 'message-id', 'messageId', 'message_id', 'id'];

export const sms: TargetKind = {
  id: 'sms',
  title: 'SMS',
  capabilities: ['notify'],
  isForClients: false,
  follows: false,
  documentation: 'https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource',
  fields: [
    {
      name: 'url',
      label: 'Address',
      hint: 'The provider’s address for sending a message',
      isSecret: false,
      pattern: addressPattern,
      fault: addressFault,
    },
    {
      name: 'authorization',
      label: 'Authorization header',
      hint: 'Such as Basic … or Bearer …',
      isSecret: true,
      pattern: /^[\x21-\x7e][\x20-\x7e]{3,1000}$/,
      fault: 'Enter the whole value of the Authorization header.',
    },
    {
      name: 'to',
      label: 'Phone number',
      hint: 'With country code, such as +493012345678',
      isSecret: false,
      pattern: /^\+\d{6,15}$/,
      fault: 'Enter a phone number with country code, such as +493012345678.',
    },
    {
      name: 'form',
      label: 'Form fields',
      hint: 'A line name=value each; {to} and {text} are replaced',
      initial: 'To={to}\nFrom=+15550100\nBody={text}',
      isSecret: false,
      isLong: true,
      pattern: /^(?=[\s\S]*\{to\})(?=[\s\S]*\{text\})[\s\S]{8,2000}$/,
      fault: 'Enter lines name=value, one with {to} and one with {text}.',
    },
  ],
  steps: [
    'Take address and field names from your provider’s description of its HTTP interface.',
    'Enter the fields as lines name=value: {to} stands for the phone number, {text} for the message.',
    'Send a test, and check that it arrives: a provider accepts a message before it delivers it.',
  ],
  async send({ message }, { url = '', authorization = '', to = '', form = '' }, send) {
    const answer = await send({
      method: 'POST',
      url,
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: smsForm(form, to, smsText(message)).toString(),
    });
    if (!isSuccess(answer)) return failureOf('The SMS provider', answer);
    const body = jsonOf(answer.text) ?? {};
    const id = idNames.map((name) => body[name]).find((each) => typeof each === 'string' || typeof each === 'number');
    return { kind: 'accepted', id: id === undefined ? null : String(id) };
  },
};

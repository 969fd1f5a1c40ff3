/**
 * Simulated incoming webhooks of Slack, as described at docs.slack.dev ("Sending messages using incoming webhooks", "Reference: blocks"): `ok` as plain
 * text, or 400, 403, 404 and 410 with a code (changelog of 2016-05-17). Checks the limits of Block Kit for the supported blocks.
 */
import { jsonIn, type Peer, plain, servePeer } from './peer.ts';

const path = '/services/T00DEMO00/B00DEMO00/demoDemoDemoDemoDemoDemo';
/** Address of replies to presses. */
export const replyPath = '/actions/T00DEMO00/1/demoReply';

interface Text {
  type?: string;
  text?: string;
}

const isText = (text: Text | undefined, types: readonly string[], max: number): boolean =>
  text !== undefined &&
  types.includes(text.type ?? '') &&
  typeof text.text === 'string' &&
  text.text !== '' &&
  text.text.length <= max;

interface Block {
  type?: string;
  text?: Text;
  fields?: Text[];
  elements?: (Text & { action_id?: string; url?: string; value?: string; text?: Text | string })[];
}

const anyText = ['plain_text', 'mrkdwn'];

function isBlock({ type, text, fields, elements }: Block): boolean {
  switch (type) {
    case 'header':
      return isText(text, ['plain_text'], 150);
    case 'section':
      if (text !== undefined && !isText(text, anyText, 3_000)) return false;
      return fields === undefined
        ? text !== undefined
        : fields.length > 0 && fields.length <= 10 && fields.every((each) => isText(each, anyText, 2_000));
    case 'context':
      return (
        elements !== undefined &&
        elements.length > 0 &&
        elements.length <= 10 &&
        elements.every((each) => isText(each as Text, anyText, 2_000))
      );
    case 'actions':
      return (
        elements !== undefined &&
        elements.length > 0 &&
        elements.length <= 25 &&
        elements.every(
          (each) =>
            each.type === 'button' &&
            isText(each.text as Text, ['plain_text'], 75) &&
            (each.url ?? '').length <= 3_000 &&
            (each.value ?? '').length <= 2_000 &&
            new Set(elements.map(({ action_id: id }) => id)).size === elements.length,
        )
      );
    default:
      return type === 'divider';
  }
}

/** Starts a simulated Slack. */
export const startSlack = (port?: number): Promise<Peer> =>
  servePeer(
    'slack',
    port,
    ({ method, url, body }) => {
      const isReply = url.pathname === replyPath;
      if (method !== 'POST' || (url.pathname !== path && !isReply)) return plain(404, 'no_service');
      const message = jsonIn(body);
      if (!message) return plain(400, 'invalid_payload');
      const { text, blocks } = message as { text?: unknown; blocks?: Block[] };
      if ((typeof text !== 'string' || text === '') && blocks === undefined) return plain(400, 'no_text');
      if (blocks !== undefined && (!Array.isArray(blocks) || blocks.length > 50 || !blocks.every(isBlock)))
        return plain(400, 'invalid_blocks');
      return plain(200, 'ok');
    },
    (url) => ({ url: `${url}${path}` }),
  );

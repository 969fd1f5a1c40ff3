/** Address and secret of a webhook, once, with a request to try. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Note } from '../../../kit/Note.tsx';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';

const Shown = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) auto',
  alignItems: 'center',
  gap: 4,
  marginTop: 12,
  '& > strong': { gridColumn: '1 / -1', fontSize: 13 },
  '& > code': {
    fontFamily: monoFamily,
    fontSize: 12.5,
    overflowWrap: 'anywhere',
    whiteSpace: 'pre-wrap',
    padding: '8px 10px',
    borderRadius: 6,
    backgroundColor: palette.action.hover,
  },
});

type Source = AnswerOf<typeof webhookSourcesApi.create>;

/** A request that a person can try in a shell. */
export function exampleOf({ address, secret, authentication, header }: Source): string {
  const body = `'{"message":"test"}'`;
  const post = `curl -sS ${address} -H 'Content-Type: application/json'`;
  if (authentication === 'header')
    return `${post} -H '${header}: ${header === 'authorization' ? 'Bearer ' : ''}${secret}' -d ${body}`;
  if (authentication === 'hmac')
    return `${post} -H "${header}: sha256=$(printf %s ${body} | openssl dgst -sha256 -hmac '${secret}' -r | cut -d' ' -f1)" -d ${body}`;
  return '';
}

export function NewSecret({ title, source, onClose }: { title: string; source: Source; onClose: () => void }) {
  const example = exampleOf(source);
  return (
    <Modal
      title={title}
      onClose={undefined}
      actions={
        <Button variant="contained" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <Note tone="warning">Copy the secret now. It won’t be shown again.</Note>
      <Shown>
        <strong>Address</strong>
        <code>{source.address}</code>
        <CopyButton text={source.address} label="Copy address" />
      </Shown>
      <Shown>
        <strong>Secret</strong>
        <code data-testid="webhook-secret">{source.secret}</code>
        <CopyButton text={source.secret} label="Copy secret" />
      </Shown>
      {example && (
        <Shown>
          <strong>Try it</strong>
          <code>{example}</code>
          <CopyButton text={example} label="Copy command" />
        </Shown>
      )}
    </Modal>
  );
}

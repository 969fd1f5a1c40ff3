/** Training form (spec §2.6, §8): sends knowledge unvalidated and clears the fields. */
import Button from '@mui/material/Button';
import { type FormEvent, useState } from 'react';
import { toast } from '../../../lib/toast.ts';
import type { Conversation } from '../conversation.ts';
import { Body, Box, Small } from './sapphire.styles.tsx';

const types = ['Text', 'Question and Answer'] as const;

export function TrainingForm({ teach, onClose }: { teach: Conversation['teach']; onClose: () => void }) {
  const [type, setType] = useState<(typeof types)[number]>('Text');
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState('');
  const isPair = type === 'Question and Answer';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const knowledge = isPair ? `Question: ${text}\nAnswer: ${answer}` : text;
    setText('');
    setAnswer('');
    // spec §8: 2 s.
    if (await teach(knowledge)) toast.success('Knowledge successfully inserted');
    else toast.error('Knowledge insertion failed');
  };
  return (
    <Body>
      <form aria-label="Training" onSubmit={(event) => void submit(event)} style={{ display: 'grid', gap: 12 }}>
        <Small as="p" style={{ margin: 0 }}>
          Once approved by an administrator, your text is used in answers for your organisation and its clients.
        </Small>
        <Box>
          Type
          <select value={type} onChange={(event) => setType(event.target.value as typeof type)}>
            {types.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Box>
        <Box>
          {isPair ? 'Question' : 'Text'}
          <textarea rows={4} maxLength={isPair ? 9_900 : 20_000} value={text} onChange={(event) => setText(event.target.value)} />
        </Box>
        {isPair && (
          <Box>
            Answer
            <textarea rows={4} maxLength={9_900} value={answer} onChange={(event) => setAnswer(event.target.value)} />
          </Box>
        )}
        <div style={{ display: 'flex', gap: 8 }}>
          <Button type="submit" variant="contained">
            Submit
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </form>
    </Body>
  );
}

/** Editor of a configuration's text with problems at their lines. Loaded on demand: the editor is large. */

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styled } from '@mui/material/styles';
import { useEffect, useRef } from 'react';
import { nonce } from '../../../kit/nonce.ts';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import type { FixableProblem } from './fixable.ts';

const Place = styled('div')({
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  '& .cm-editor': { height: 'clamp(320px, calc(100dvh - 330px), 900px)', fontSize: 13, color: palette.text.primary },
  '& .cm-editor.cm-focused': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& .cm-scroller': { fontFamily: monoFamily, fontVariantLigatures: 'none', lineHeight: '20px' },
  '& .cm-gutters': {
    backgroundColor: palette.background.default,
    color: palette.text.secondary,
    borderRight: `1px solid ${palette.divider}`,
  },
  '& .cm-activeLine, & .cm-activeLineGutter': { backgroundColor: palette.action.hover },
  '& .cm-cursor': { borderLeftColor: palette.text.primary },
  '& .cm-selectionBackground, & .cm-focused .cm-selectionBackground': {
    backgroundColor: `${palette.action.selected} !important`,
  },
  '& .cm-panels, & .cm-tooltip': {
    backgroundColor: palette.background.paper,
    color: palette.text.primary,
    borderColor: palette.divider,
  },
  '& .cm-panels input, & .cm-panels button': {
    font: 'inherit',
    color: 'inherit',
    backgroundColor: palette.background.default,
    backgroundImage: 'none',
    border: `1px solid ${palette.divider}`,
    borderRadius: 4,
  },
  '& .tok-key': { color: palette.primary.main },
  '& .tok-text': { color: palette.text.primary },
  '& .tok-comment': { color: palette.text.secondary, fontStyle: 'italic' },
  '& .tok-literal': { fontWeight: 600 },
});

const look = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], class: 'tok-key' },
  { tag: [tags.string, tags.content], class: 'tok-text' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], class: 'tok-literal' },
]);

interface Props {
  text: string;
  onChange: (text: string) => void;
  problems: readonly FixableProblem[];
  label: string;
  /** Applies the fix of a problem to the text. */
  onFix?: (problem: FixableProblem) => void;
  /** Line to scroll to; every new object scrolls again. */
  goTo: { line: number } | undefined;
}

export function YamlEditor({ text, onChange, problems, label, onFix, goTo }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  const fixing = useRef(onFix);
  fixing.current = onFix;
  const first = useRef(text);

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          drawSelection(),
          history(),
          highlightSelectionMatches(),
          lintGutter(),
          yaml(),
          syntaxHighlighting(look),
          // Tab leaves the editor, as in every other field.
          keymap.of([...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorState.tabSize.of(2),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);

  // Changed from outside: by the form or by restoring a version.
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    const diagnostics = problems.flatMap((problem): Diagnostic[] => {
      const { line, text: message, isError } = problem;
      if (line === null || line > doc.lines) return [];
      const { from, to, text: written } = doc.line(line);
      return [
        {
          from: from + (written.length - written.trimStart().length),
          to,
          severity: isError ? 'error' : 'warning',
          message,
          actions: problem.fix ? [{ name: problem.fix.name, apply: () => fixing.current?.(problem) }] : [],
        },
      ];
    });
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [problems]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !goTo) return;
    const { from } = editor.state.doc.line(Math.min(Math.max(1, goTo.line), editor.state.doc.lines));
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    editor.focus();
  }, [goTo]);

  return <Place ref={place} />;
}

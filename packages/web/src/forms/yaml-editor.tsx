import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import type { YamlDiagnostic } from './yaml-diagnostics'
import { PHRASES } from './yaml-phrases'

interface YamlEditorProps {
  readonly label: string
  readonly describedBy: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly marks: readonly YamlDiagnostic[]
}

/**
 * A text editor with line numbers, colors and markers. It uses a shadow tree with adopted style sheets instead of style elements, so that a
 * content security policy without inline styles permits them. Tab indents; Escape followed by Tab leaves the editor.
 */
export function YamlEditor({ label, describedBy, value, onChange, marks }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  const latest = useRef(value)
  latest.current = value
  const t = useText(forms)
  useLayoutEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        doc: latest.current,
        extensions: [
          extensionsOf(label, describedBy, (text) => changed.current(text)),
          EditorState.phrases.of(
            Object.fromEntries(Object.entries(PHRASES).map(([phrase, key]) => [phrase, t(key)])),
          ),
        ],
      }),
    })
    measure(editor)
    view.current = editor
    return () => editor.destroy()
  }, [label, describedBy, t])
  useLayoutEffect(() => {
    if (view.current) replace(view.current, value)
  }, [value])
  useEffect(() => {
    const editor = view.current
    if (!editor) return
    const end = editor.state.doc.length
    const found = marks.map(
      ({ from, to, message, isWarning }): Diagnostic => ({
        from: Math.min(from, end),
        to: Math.min(to, end),
        message,
        severity: isWarning ? 'warning' : 'error',
      }),
    )
    editor.dispatch(setDiagnostics(editor.state, found))
  }, [marks])
  return <div ref={host} />
}

function extensionsOf(label: string, describedBy: string, onChange: (text: string) => void) {
  return [
    lineNumbers(),
    history(),
    highlightActiveLine(),
    EditorView.lineWrapping,
    yaml(),
    syntaxHighlighting(COLORS),
    lintGutter(),
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.contentAttributes.of({
      role: 'textbox',
      // A text that is longer than its frame must be scrollable by keyboard.
      tabindex: '0',
      'aria-multiline': 'true',
      'aria-label': label,
      'aria-description': describedBy,
      spellcheck: 'false',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString())
    }),
    THEME,
  ]
}

/** Replaces only the difference, so that the cursor does not move while the form changes another part. */
function replace(view: EditorView, text: string): void {
  const before = view.state.doc.toString()
  if (before === text) return
  let start = 0
  while (start < Math.min(before.length, text.length) && before[start] === text[start]) start += 1
  let end = 0
  const limit = Math.min(before.length, text.length) - start
  while (end < limit && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1
  const insert = text.slice(start, text.length - end)
  view.dispatch({ changes: { from: start, to: before.length - end, insert } })
  measure(view)
}

/** Measures before the first paint: otherwise the line numbers appear one frame after the lines. */
function measure(view: EditorView): void {
  view.coordsAtPos(0)
}

const COLORS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent-strong)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--running)' },
  { tag: tags.string, color: 'var(--good)' },
])

const THEME = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--outline)',
    borderRadius: 'var(--radius)',
    fontSize: 'var(--text-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', minHeight: '24rem', maxHeight: '70vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink-soft)',
    borderRight: '1px solid var(--hairline)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--hairline)',
    maxWidth: '30rem',
  },
})

/** Phrase of CodeMirror → text key of the page. */
export const PHRASES = {
  'Control character': 'editor.control',
  Diagnostics: 'editor.diagnostics',
  'No diagnostics': 'editor.diagnostics.none',
  'Selection deleted': 'editor.deleted',
  close: 'editor.close',
} as const

import { useEffect, useState } from 'react'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { type Command, command, editCommands, paste, removeSelected, savingCommands } from './commands'
import { copyText } from './core/clipboard'
import type { EditorSearch } from './search'
import { isTyping, useShortcuts } from './shortcuts'
import { type Editor, useEditState } from './state/context'
import { useRunCommands } from './state/use-run-commands'

/** All commands in their current state, with their shortcuts. */
export function useCommands(
  editor: Editor,
  openDialog: (dialog: 'find' | 'help') => void,
  onSearch: (change: Partial<EditorSearch>) => void,
) {
  useEditState()
  const running = useRunCommands(editor)
  const announcement = useClipboard(editor)
  const commands: readonly Command[] = [
    ...running.commands,
    ...savingCommands(editor),
    ...editCommands(editor),
    command('do.fit', ['f'], true, () => editor.showAll()),
    command('do.plan', ['p'], true, () => onSearch({ view: 'plan' })),
    command('do.find', ['Mod+k', '/'], true, () => openDialog('find')),
    command('do.help', ['?'], true, () => openDialog('help')),
  ]
  useShortcuts(commands)
  const { problem, unqueue } = running
  return { commands, problem, unqueue, announcement: announcement }
}

/** Copies and pastes nodes as text via the system clipboard: across tabs, and into files and messages. */
function useClipboard(editor: Editor): string {
  const t = useText(text)
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    const { session } = editor
    const isIgnored = () => isTyping(document.activeElement) || !getSelection()?.isCollapsed
    const onCopy = (event: ClipboardEvent) => {
      const { nodes } = session.state()
      if (isIgnored() || nodes.size === 0) return
      event.clipboardData?.setData('text/plain', copyText(session.document, nodes))
      event.preventDefault()
      setAnnouncement(t('do.copied', { count: nodes.size }))
      if (event.type === 'cut') removeSelected(editor)
    }
    const onPaste = (event: ClipboardEvent) => {
      if (isTyping(document.activeElement)) return
      const count = paste(editor, event.clipboardData?.getData('text/plain') ?? '')
      if (count > 0) setAnnouncement(t('do.pasted', { count }))
    }
    document.addEventListener('copy', onCopy)
    document.addEventListener('cut', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('cut', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [editor, t])
  return announcement
}

import { useEffect, useRef } from 'react'
import type { Command } from './commands'

/**
 * The element that receives key presses at the focus. field: a text field. choice: a closed list, in which letters select an option.
 * dialog: a dialog is open. free: none, so that every key is a shortcut.
 */
export type KeyOwner = 'free' | 'field' | 'choice' | 'dialog'

/** Shortcuts that also work in text fields, because they type no text. */
const WHILE_TYPING: ReadonlySet<string> = new Set(['Mod+s', 'Mod+Enter'])

/** "Mod+Shift+z": Mod is the command key on a Mac, and Ctrl elsewhere. */
export function keysOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const shift = event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key))
  const alt = event.altKey && event.key.length > 1
  return `${event.ctrlKey || event.metaKey ? 'Mod+' : ''}${alt ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${key}`
}

/** Command of a key press. A disabled command still blocks the browser's own action for its Mod keys, which would select or save the page. */
export function shortcutOf<C extends Pick<Command, 'keys' | 'enabled'>>(
  commands: readonly C[],
  keys: string,
  owner: KeyOwner,
): C | undefined {
  if (owner === 'dialog') return undefined
  if (owner === 'field' && !WHILE_TYPING.has(keys)) return undefined
  if (owner === 'choice' && keys.length === 1) return undefined
  const named = commands.filter((command) => command.keys.includes(keys))
  return named.find(({ enabled }) => enabled) ?? (keys.startsWith('Mod+') ? named[0] : undefined)
}

/** @param target where a key is pressed */
export function keyOwner(target: EventTarget | null): KeyOwner {
  if (document.querySelector('[role="dialog"],[role="alertdialog"]')) return 'dialog'
  if (!(target instanceof HTMLElement)) return 'free'
  const isField =
    target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    target.closest('[role="listbox"]') !== null
  if (isField) return 'field'
  return target.closest('[aria-haspopup="listbox"]') ? 'choice' : 'free'
}

/** Reports whether the user edits text there, so that the clipboard applies to text and not to nodes. */
export const isTyping = (target: EventTarget | null): boolean =>
  ['field', 'dialog'].includes(keyOwner(target))

/**
 * Shortcuts work wherever the focus is on the page: it moves to the body after a click on the empty canvas, or when the focused button is
 * disabled. They run before any widget, because trees and tabs treat arrow keys with Alt as plain arrow keys.
 */
export function useShortcuts(commands: readonly Command[]): void {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const found = shortcutOf(latest.current, keysOf(event), keyOwner(event.target))
      if (!found) return
      event.preventDefault()
      event.stopPropagation()
      if (found.enabled) found.run()
    }
    document.addEventListener('keydown', onKeyDown, { capture: true })
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

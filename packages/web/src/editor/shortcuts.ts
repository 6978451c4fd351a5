import { useEffect, useRef } from 'react'
import type { Command } from './commands'

/**
 * Who takes key presses where the focus is. field: text is typed there. choice: a closed list of choices, which letters choose from.
 * dialog: a dialog is open. free: no one, so that every key is a shortcut.
 */
export type KeyOwner = 'free' | 'field' | 'choice' | 'dialog'

/** Shortcuts that no one types. */
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

/** The command that a key press runs. A command that is disabled still keeps its Mod keys from the browser, which would select or save the page. */
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

/** Whether text is typed there, so that it is copied and pasted in place of nodes. */
export const isTyping = (target: EventTarget | null): boolean =>
  ['field', 'dialog'].includes(keyOwner(target))

/**
 * Shortcuts wherever the focus is on the page: it falls to the body with a click on the empty canvas, or when the button that has it is
 * disabled. They are looked at before any widget: trees and tabs take arrow keys with Alt for plain ones.
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

import { describe, expect, it } from 'vitest'
import { type KeyOwner, shortcutOf } from './shortcuts'

const commands = [
  { id: 'save', keys: ['Mod+s'], enabled: false },
  { id: 'selectAll', keys: ['Mod+a'], enabled: false },
  { id: 'delete', keys: ['Delete', 'Backspace'], enabled: true },
  { id: 'left', keys: ['Alt+ArrowLeft'], enabled: false },
  { id: 'mute', keys: ['m'], enabled: true },
  { id: 'run', keys: ['Mod+Enter'], enabled: true },
]
const found = (keys: string, owner: KeyOwner) => shortcutOf(commands, keys, owner)?.id

describe('a key press in the editor', () => {
  it('runs its command wherever no one else takes keys', () => {
    expect(['Backspace', 'm', 'Mod+Enter', 'x'].map((keys) => found(keys, 'free'))).toEqual([
      'delete',
      'mute',
      'run',
      undefined,
    ])
  })

  it('is typed in a field, unless no one types it', () => {
    expect(['Backspace', 'm', 'Mod+a', 'Mod+Enter'].map((keys) => found(keys, 'field'))).toEqual([
      undefined,
      undefined,
      undefined,
      'run',
    ])
  })

  it('chooses from a list by its letter, and is a shortcut with any other key', () => {
    expect(['m', 'Delete', 'Mod+Enter'].map((keys) => found(keys, 'choice'))).toEqual([
      undefined,
      'delete',
      'run',
    ])
  })

  it('belongs to an open dialog', () => {
    expect(['m', 'Mod+s', 'Mod+Enter'].map((keys) => found(keys, 'dialog'))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('never selects or saves the page where its command is disabled, and leaves other keys to the browser', () => {
    expect(['Mod+a', 'Mod+s', 'Alt+ArrowLeft'].map((keys) => found(keys, 'free'))).toEqual([
      'selectAll',
      'save',
      undefined,
    ])
  })
})

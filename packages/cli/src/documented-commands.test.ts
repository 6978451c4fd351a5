import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SERVICE_FLAGS } from '@medloom/server'
import { describe, expect, it } from 'vitest'
import { type MedloomCommand, pathOf } from './command.js'
import { createContext } from './context.js'
import { buildProgram } from './program.js'

const root = resolve(import.meta.dirname, '../../..')
const pages = ['README.md', 'CONTRIBUTING.md', 'packages/cli/README.md', 'docs', 'examples'].flatMap(
  (name) =>
    name.endsWith('.md')
      ? [name]
      : readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.md') && !file.startsWith('reference'))
          .map((file) => `${name}/${file}`),
)

/** The commands that a page shows: in `…`, after "$(", or on a separate line. */
function commandsIn(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const found = text.matchAll(/(?<=[`(]|^ *)(?:npx )?medloom ([^\n`#)|>]+)/gm)
  return [...found].map(([, words = '']) => words.split('  ')[0]?.trim() ?? '')
}

/** The command that the words name, and the remaining words that commander would not accept. */
function resolveWords(words: readonly string[]): { command: MedloomCommand; unknown: readonly string[] } {
  let command = buildProgram(createContext([]))
  let rest = words
  for (;;) {
    const child = command.children.find((candidate) => candidate.name() === rest[0])
    if (!child) break
    command = child
    rest = rest.slice(1)
  }
  const { operands, unknown } = command.parseOptions([...rest])
  const global = ['--json', '--help']
  const excess = command.children.length > 0 ? operands : []
  return { command, unknown: [...unknown.filter((word) => !global.includes(word)), ...excess] }
}

describe('the documents', () => {
  const shown = pages.flatMap((page) => commandsIn(page).map((command) => [page, command] as const))

  it('show commands', () => {
    expect(shown.length).toBeGreaterThan(30)
  })

  it.each(shown)(
    '%s: medloom %s names an existing command with its options, in its grouped form',
    (_, text) => {
      const { command, unknown } = resolveWords(text.split(/\s+/))
      // "serve" leaves its flags to the service.
      const isOfService = (word: string) => !word.startsWith('-') || word.replace('--', '') in SERVICE_FLAGS
      expect(command.name() === 'serve' ? unknown.filter((word) => !isOfService(word)) : unknown).toEqual([])
      if (text !== '--help') expect(pathOf(command)).not.toBe('medloom')
      expect(command.aliasOf).toBeNull()
    },
  )
})

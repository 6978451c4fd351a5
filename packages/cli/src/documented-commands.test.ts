import { SERVICE_FLAGS } from '@medloom/server'
import { describe, expect, it } from 'vitest'
import { commandsInSentences, nameOf, shownCommands, wordsOf } from '../../../scripts/documents/pages.mjs'
import { type MedloomCommand, pathOf } from './command.js'
import { createContext } from './context.js'
import { buildProgram } from './program.js'

/** The `medloom` commands that pages show or mention, as words after the name of the program. */
const shown: [name: string, words: string[]][] = [
  ...commandsInSentences(),
  ...shownCommands().map(({ words }) => words),
]
  .filter((words) => wordsOf(words)[0] === 'medloom')
  .map((words) => [nameOf(words), wordsOf(words).slice(1)])

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
  it('show commands', () => {
    expect(shown.length).toBeGreaterThan(30)
  })

  it.each(shown)('%s names an existing command with its options, in its grouped form', (name, words) => {
    const { command, unknown } = resolveWords(words)
    // "serve" leaves its flags to the service.
    const isOfService = (word: string) => !word.startsWith('-') || word.replace('--', '') in SERVICE_FLAGS
    expect(command.name() === 'serve' ? unknown.filter((word) => !isOfService(word)) : unknown).toEqual([])
    if (name !== 'medloom --help') expect(pathOf(command)).not.toBe('medloom')
    expect(command.aliasOf).toBeNull()
  })
})

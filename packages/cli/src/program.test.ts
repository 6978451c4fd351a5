import { describe, expect, it } from 'vitest'
import { type MedloomCommand, pathOf } from './command.js'
import { createContext } from './context.js'
import { buildProgram } from './program.js'

const program = buildProgram(createContext([]))

function* leaves(command: MedloomCommand): Generator<MedloomCommand> {
  if (command.children.length === 0) yield command
  for (const child of command.children) yield* leaves(child)
}

const commands = [...leaves(program)].filter((command) => !command.aliasOf)
const aliases = program.children.filter((command) => command.aliasOf)

/** The command that a path such as "jobs ls" names, and the words after the path. */
function find(words: readonly string[]): { command: MedloomCommand; rest: readonly string[] } {
  let command = program
  for (const [index, word] of words.entries()) {
    const child = command.children.find((candidate) => candidate.name() === word)
    if (!child) return { command, rest: words.slice(index) }
    command = child
  }
  return { command, rest: [] }
}

describe('the commands', () => {
  it('are in groups', () => {
    const names = program.children.filter((command) => !command.aliasOf).map((command) => command.name())
    expect(names).toEqual([
      'serve',
      'train',
      'jobs',
      'study',
      'models',
      'aliases',
      'predictions',
      'follow-ups',
      'datasets',
      'data',
      'files',
      'workflow',
      'nodes',
      'system',
      'tokens',
      'users',
      'audit',
      'whoami',
      'database',
      'doctor',
      'setup',
    ])
  })

  it.each(commands.map((command) => [pathOf(command), command] as const))(
    '%s has a description and examples that name existing options and all arguments',
    (path, command) => {
      expect(command.description()).not.toBe('')
      expect(command.examples).not.toEqual([])
      for (const example of command.examples) {
        const words = (example.split(' > ')[0] ?? '').split(' ').slice(1)
        const { command: named, rest } = find(words)
        // The name of a group by itself runs its default command.
        expect(path, example).toContain(pathOf(named))
        if (path === 'medloom serve') continue
        const { operands, unknown } = command.parseOptions([...rest])
        expect(
          unknown.filter((word) => word !== '--json'),
          example,
        ).toEqual([])
        const required = command.registeredArguments.filter((argument) => argument.required)
        expect(operands.length, example).toBeGreaterThanOrEqual(required.length)
      }
    },
  )
})

describe('aliases', () => {
  it('are the forms without a group', () => {
    expect(Object.fromEntries(aliases.map((command) => [command.name(), command.aliasOf]))).toEqual({
      start: 'train',
      ls: 'jobs ls',
      status: 'jobs status',
      watch: 'jobs watch',
      logs: 'jobs logs',
      stop: 'jobs stop',
      finish: 'jobs finish',
      resume: 'jobs resume',
      rm: 'jobs rm',
      eval: 'models evaluate',
      backbones: 'models backbones',
    })
  })

  it.each(aliases.map((command) => [command.name(), command] as const))(
    '%s takes the same arguments and options as the command to which it refers',
    (_, alias) => {
      const { command, rest } = find(alias.aliasOf?.split(' ') ?? [])
      expect(rest).toEqual([])
      const usage = (command: MedloomCommand) => [
        command.description(),
        command.registeredArguments.map((argument) => [
          argument.name(),
          argument.required,
          argument.variadic,
        ]),
        command.options.map(({ flags, description, defaultValue, mandatory }) => [
          flags,
          description,
          defaultValue,
          mandatory,
        ]),
      ]
      expect(usage(alias)).toEqual(usage(command))
    },
  )

  it('are listed in one line of the help, not among the commands', () => {
    let text = ''
    program.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
    expect(text).toMatch(/^Aliases: start, ls, /m)
    expect(text).not.toMatch(/^ {2}(start|ls|eval)\b/m)
  })
})

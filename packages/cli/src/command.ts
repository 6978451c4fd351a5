import { nearest } from '@medloom/contracts'
import { Command, Help, InvalidArgumentError } from 'commander'
import type { CommandContext } from './context.js'

/** Adds one command to its parent. An alias is the same command under another parent or name. */
export type AddCommand = (parent: MedloomCommand, context: CommandContext, name?: string) => MedloomCommand

/** A commander command with examples, notes and aliases, which help and the reference page show. */
export class MedloomCommand extends Command {
  readonly examples: string[] = []
  readonly notes: string[] = []
  /** Name of the command that runs when the group is called without a command. */
  defaultCommand: string | null = null
  /** The command path to which this alias refers; aliases are not listed in the help. */
  aliasOf: string | null = null

  constructor(name?: string) {
    super(name)
    this.configureHelp({
      visibleCommands: (command) =>
        new Help()
          .visibleCommands(command)
          .filter((child) => !(child instanceof MedloomCommand && child.aliasOf)),
    })
    this.addHelpText('after', () => this.#helpText())
  }

  /** The commands below this one, aliases included. */
  get children(): readonly MedloomCommand[] {
    return this.commands as readonly MedloomCommand[]
  }

  /** Adds a command; it is the default one if the group declares it as such. */
  add(name: string): MedloomCommand {
    return this.command(name, { isDefault: name === this.defaultCommand })
  }

  override createCommand(name?: string): MedloomCommand {
    return new MedloomCommand(name)
  }

  example(...lines: string[]): this {
    this.examples.push(...lines)
    return this
  }

  note(text: string): this {
    this.notes.push(text)
    return this
  }

  #helpText(): string {
    const examples =
      this.examples.length > 0 ? ['Examples:', ...this.examples.map((line) => `  ${line}`)] : []
    const parts = [...this.notes, examples.join('\n')].filter((part) => part !== '')
    return parts.map((part) => `\n${part}`).join('\n')
  }
}

/** A group of commands (`medloom jobs …`). */
export function addGroup(
  parent: MedloomCommand,
  name: string,
  description: string,
  defaultCommand: string | null = null,
): MedloomCommand {
  const group = parent.command(name).description(description)
  group.defaultCommand = defaultCommand
  group.on('command:*', ([word]: string[]) => refuseUnknownCommand(group, word ?? ''))
  // With a default command, commander would pass it a mistyped command as an argument.
  group.hook('preSubcommand', () => {
    const [word = '-'] = group.args
    if (!word.startsWith('-') && word !== 'help' && !group.commands.some((child) => child.name() === word))
      refuseUnknownCommand(group, word)
  })
  return group
}

/** Names that other programs use for some of these commands. */
const SAME: Readonly<Record<string, string>> = { list: 'ls', delete: 'rm', remove: 'rm' }

/** Fails with a suggestion of the nearest command of `parent`, or a list of all. */
export function refuseUnknownCommand(parent: MedloomCommand, word: string): never {
  const commands = parent.children
  const guesses = [
    SAME[word],
    nearest(
      word,
      commands.map((command) => command.name()),
    ),
  ]
  const suggestion = commands.find((command) => guesses.includes(command.name()))
  const hint = suggestion
    ? `Did you mean ${suggestion.aliasOf ?? suggestion.name()}?`
    : `Its commands are ${commands.flatMap((command) => (command.aliasOf ? [] : [command.name()])).join(', ')}.`
  return parent.error(`error: ${pathOf(parent)} has no command "${word}". ${hint}`, {
    code: 'commander.unknownCommand',
  })
}

/** "medloom jobs ls" */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

/** Parses an option that can be repeated: every value is kept, in order. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Parses an option value that is a whole number of 0 or more. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

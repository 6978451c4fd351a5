import type { Argument, Option } from 'commander'
import { type MedloomCommand, pathOf } from '../src/command.js'
import { createContext } from '../src/context.js'
import { EXIT_MEANINGS } from '../src/exit-codes.js'
import { buildProgram } from '../src/program.js'

/** The reference page of the command line: every command with its arguments, options, defaults and examples. */
export function cliPage(): string {
  const program = buildProgram(createContext([]))
  const commands = program.children.filter((command) => !command.aliasOf)
  const aliases = program.children.flatMap((command) =>
    command.aliasOf ? [`| \`medloom ${command.name()}\` | \`medloom ${command.aliasOf}\` |`] : [],
  )
  const exits = Object.entries(EXIT_MEANINGS).map(([status, meaning]) => `| ${status} | ${meaning} |`)
  return `<!-- Generated from packages/cli by "npm run generate"; do not edit. -->

# Command line

In a clone of the repository the command is \`npx medloom\`. Every command shows its part of this page with \`--help\`.

## Options of every command

${optionTable(program)}

Environment variables: \`MEDLOOM_URL\` (address of the service; without it \`MEDLOOM_PORT\` on this machine), \`MEDLOOM_TOKEN_FILE\`,
\`NO_COLOR\` and \`FORCE_COLOR\`.

${commands.map((command) => section(command, 2)).join('\n')}
## Aliases

| alias | same as |
|---|---|
${aliases.join('\n')}

## Exit status

Scripts may rely on these numbers.

| status | meaning |
|---|---|
${exits.join('\n')}
`
}

function section(command: MedloomCommand, level: number): string {
  const group = command.parent as MedloomCommand
  const parts = [
    `${'#'.repeat(level)} ${pathOf(command)}`,
    sentence(command.description()),
    group.defaultCommand === command.name() ? `\`${pathOf(group)}\` alone does the same.` : '',
    command.children.length === 0 ? `    ${usageOf(command)}` : '',
    command.name() === 'serve' ? 'The flags are listed in [flags of the service](service.md).' : '',
    argumentTable(command.registeredArguments),
    command.options.length > 0 ? optionTable(command) : '',
    ...command.notes,
    command.examples.length > 0 ? `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\`` : '',
  ]
  const text = `${parts.filter((part) => part !== '').join('\n\n')}\n`
  return [text, ...command.children.map((child) => section(child, Math.min(level + 1, 4)))].join('\n')
}

function usageOf(command: MedloomCommand): string {
  const options = command.options.length > 0 ? ' [options]' : ''
  const words = command.registeredArguments.map((argument) => ` ${nameOf(argument)}`)
  return `${pathOf(command)}${options}${words.join('')}`
}

function argumentTable(args: readonly Argument[]): string {
  const rows = args
    .filter((argument) => argument.description !== '')
    .map((argument) => `| \`${nameOf(argument)}\` | ${cell(argument.description)} |`)
  return rows.length === 0 ? '' : `| argument | meaning |\n|---|---|\n${rows.join('\n')}`
}

function optionTable(command: MedloomCommand): string {
  const rows = command.options.map(
    (option) => `| \`${option.flags}\` | ${defaultOf(option)} | ${meaningOf(option)} |`,
  )
  return `| option | default | meaning |\n|---|---|---|\n${rows.join('\n')}`
}

/** A default that is not a single value is given at the end of the description. */
const DESCRIBED_DEFAULT = / \(default: (.*)\)$/

function defaultOf({ defaultValue, mandatory, description }: Option): string {
  if (mandatory) return '**required**'
  if (defaultValue !== undefined) return `\`${defaultValue}\``
  return DESCRIBED_DEFAULT.exec(description)?.[1] ?? ''
}

function meaningOf({ description, argChoices }: Option): string {
  const choices = argChoices ? `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}` : ''
  return `${cell(description.replace(DESCRIBED_DEFAULT, ''))}${choices}`
}

function nameOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

import { createInterface } from 'node:readline/promises'
import type { MedloomClient } from '@medloom/client/node'
import { counted, type Removal } from '@medloom/contracts'
import type { MedloomCommand } from '../command.js'
import { UsageError } from '../exit-codes.js'
import { connect } from '../service/connection.js'
import { bytes } from '../terminal/format.js'
import { printJsonLine, printLine } from '../terminal/print.js'
import { terminal } from '../terminal/terminal.js'

export interface Removable {
  /** Singular noun: job, model, dataset. */
  readonly noun: string
  readonly find: (client: MedloomClient, word: string) => Promise<string>
  readonly remove: (client: MedloomClient, id: string, dry_run: 'true' | 'false') => Promise<Removal>
}

/** Adds the options and the action to a command: show the consequences, ask for confirmation, remove. */
export function removes(command: MedloomCommand, { noun, find, remove }: Removable): MedloomCommand {
  return command
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('-y, --yes', 'remove without confirmation')
    .action(async (words: string[], _, action) => {
      const options = action.optsWithGlobals()
      const client = connect(options)
      const show = (removal: Removal) =>
        options.json ? printJsonLine(removal) : printLine(removalText(noun, removal))
      for (const word of words) {
        let id = await find(client, word)
        if (options.dryRun || !options.yes) {
          const planned = await remove(client, id, 'true')
          // The id that was shown: an alias may refer to another model by the time of the answer.
          id = planned.id
          if (options.dryRun || !options.json) show(planned)
          if (options.dryRun || !(await isConfirmed(`Remove the ${noun} ${planned.id}?`))) continue
        }
        const removed = await remove(client, id, 'false')
        if (options.json) show(removed)
        else printLine(`removed ${removed.id}, ${bytes(removed.size_bytes)} freed`)
      }
    })
}

function removalText(noun: string, { id, files, size_bytes, folders, lost }: Removal): string {
  const size =
    folders.length > 0 ? [`  ${counted(files, 'file')}, ${bytes(size_bytes)}: ${folders.join(', ')}`] : []
  return [`Removing the ${noun} ${id} deletes:`, ...lost.map((line) => `  ${line}`), ...size].join('\n')
}

/** @throws UsageError if there is no terminal to ask for confirmation. */
async function isConfirmed(question: string): Promise<boolean> {
  if (!terminal().stdin.isTTY)
    throw new UsageError(
      'Removal requires confirmation, but there is no terminal.',
      'Use --yes to remove without confirmation, or --dry-run.',
    )
  const prompt = createInterface({ input: terminal().stdin, output: terminal().stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}

import type { Command } from 'commander'
import type { CommandContext } from '../../program.js'
import { addCache } from './cache.js'
import { addCheck } from './check.js'
import { addDocuments } from './documents.js'
import { addRuns } from './runs.js'

export function addWorkflow(program: Command, context: CommandContext): void {
  const workflow = program
    .command('workflow')
    .description('write, check, run and share workflows')
    .addHelpText(
      'after',
      '\nA workflow is named by a file, an id, the unique beginning of one, its name, or "latest". A file is sent to the service before' +
        '\nit runs and stays the same workflow there, so that after a change only that and what follows runs again.' +
        '\nRelative paths in a workflow start at the first root of the service, wherever the file lies.',
    )
  addDocuments(workflow)
  addCheck(workflow, context)
  addRuns(workflow, context)
  addCache(workflow)
}

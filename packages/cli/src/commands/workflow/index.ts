import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addCache } from './cache.js'
import { addCancel } from './cancel.js'
import { addCheck } from './check.js'
import { addConfiguration } from './configuration.js'
import { addNew, addTemplates } from './create.js'
import { addDiff } from './diff.js'
import { addWorkflowList } from './list.js'
import { addPlan } from './plan.js'
import { addPreview } from './preview.js'
import { addRemove } from './remove.js'
import { addRun } from './run.js'
import { addWorkflowStatus } from './status.js'
import { addExport, addImport } from './transfer.js'
import { addUpgrade } from './upgrade.js'

export function addWorkflow(program: MedloomCommand, context: CommandContext): void {
  const workflow = addGroup(program, 'workflow', 'write, check, run and share workflows').note(
    'Refer to a workflow by a file, its id, a unique prefix of it, its name, or "latest". A file is sent to the service\n' +
      'before it runs and updates the same workflow there: only changed nodes and those downstream of them run again.\n' +
      'Relative paths in a workflow are relative to the first root of the service.',
  )
  const documents = [
    addWorkflowList,
    addTemplates,
    addNew,
    addImport,
    addExport,
    addDiff,
    addUpgrade,
    addRemove,
  ]
  const runs = [
    addCheck,
    addPlan,
    addRun,
    addWorkflowStatus,
    addPreview,
    addConfiguration,
    addCancel,
    addCache,
  ]
  for (const add of [...documents, ...runs]) add(workflow, context)
}

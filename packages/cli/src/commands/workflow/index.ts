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
    'A workflow is named by a file, an id, a unique prefix of one, its name, or "latest". A file is sent to the service\n' +
      'before it runs and stays the same workflow there: after a change only the changed nodes and those below them run.\n' +
      'Relative paths in a workflow start at the first root of the service, wherever the file is.',
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

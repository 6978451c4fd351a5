import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addStudyResume, addStudyStop } from './control.js'
import { addStudyList } from './list.js'
import { addStudyRemove } from './remove.js'
import { addStudyReport } from './report.js'
import { addStudyResults } from './results.js'
import { addStudyRun } from './run.js'
import { addStudyStatus } from './status.js'

export function addStudy(program: MedloomCommand, context: CommandContext): void {
  const study = addGroup(program, 'study', 'repeat a training with several seeds, folds and variants').note(
    'Refer to a study by its id, a unique prefix of it, its name, or "latest".',
  )
  const commands = [addStudyRun, addStudyList, addStudyStatus, addStudyStop, addStudyResume]
  for (const add of [...commands, addStudyResults, addStudyReport, addStudyRemove]) add(study, context)
}

import { addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { addFinish, addResume, addStop } from './control.js'
import { addJobEdit, addJobTags } from './edit.js'
import { addJobDownload, addJobFiles } from './files.js'
import { addJobList } from './list.js'
import { addLogs } from './logs.js'
import { addJobRemove } from './remove.js'
import { addJobStatus } from './status.js'
import { addWatch } from './watch.js'

export function addJobs(program: MedloomCommand, context: CommandContext): void {
  const jobs = addGroup(
    program,
    'jobs',
    'list, label, follow, stop, resume or remove training jobs',
    'ls',
  ).note('A unique prefix of a job id is sufficient; "latest" is the newest job.')
  for (const add of [
    addJobList,
    addJobStatus,
    addWatch,
    addLogs,
    addStop,
    addFinish,
    addResume,
    addJobEdit,
    addJobTags,
    addJobFiles,
    addJobDownload,
    addJobRemove,
  ])
    add(jobs, context)
}

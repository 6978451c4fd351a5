import type { AddCommand } from '../../command.js'
import { findJob } from '../../service/find-job.js'
import { removes } from '../remove.js'

export const addJobRemove: AddCommand = (parent, _context, name = 'rm') =>
  removes(
    parent
      .add(name)
      .description('remove ended jobs with their run directories')
      .argument('<job...>', 'job ids')
      .example('medloom jobs rm 3be0 --dry-run', 'medloom jobs rm 3be0 68e6 --yes'),
    {
      noun: 'job',
      find: findJob,
      remove: (client, job_id, dry_run) => client.deleteJob({ job_id, dry_run }),
    },
  )

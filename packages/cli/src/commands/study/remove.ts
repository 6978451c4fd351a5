import type { AddCommand } from '../../command.js'
import { findStudy } from '../../service/find-study.js'
import { removes } from '../remove.js'

export const addStudyRemove: AddCommand = (parent) =>
  removes(
    parent
      .add('rm')
      .description('remove ended studies with their jobs and models')
      .argument('<study...>', 'study ids or names')
      .example('medloom study rm latest --dry-run', 'medloom study rm 3be0 --yes'),
    {
      noun: 'study',
      find: findStudy,
      remove: (client, study_id, dry_run) => client.deleteStudy({ study_id, dry_run }),
    },
  )

import type { AddCommand } from '../../command.js'
import { removes } from '../remove.js'
import { findDataset } from './show.js'

export const addDatasetRemove: AddCommand = (parent) =>
  removes(
    parent
      .add('rm')
      .description('unregister datasets; their files are not deleted')
      .argument('<dataset...>', 'dataset ids or names')
      .example('medloom datasets rm study --dry-run'),
    {
      noun: 'dataset',
      find: findDataset,
      remove: (client, dataset_id, dry_run) => client.deleteDataset({ dataset_id, dry_run }),
    },
  )

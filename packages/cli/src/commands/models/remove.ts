import type { AddCommand } from '../../command.js'
import { removes } from '../remove.js'

export const addModelRemove: AddCommand = (parent) =>
  removes(
    parent
      .add('rm')
      .description('remove models with their checkpoints and evaluations')
      .argument('<model...>', 'model ids')
      .example('medloom models rm resnet18_gated_001 --dry-run'),
    {
      noun: 'model',
      find: async (_, word) => word,
      remove: (client, model_id, dry_run) => client.deleteModel({ model_id, dry_run }),
    },
  )

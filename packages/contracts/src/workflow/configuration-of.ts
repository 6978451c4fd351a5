import { z } from 'zod'
import { TrainingConfig } from '../configuration/training-config.js'

export const ConfigurationOfWorkflowRequest = z
  .strictObject({
    workflow: z.looseObject({}).meta({ description: 'A saved file as it stands in an editor' }),
    node: z.string().min(1).max(200).optional().meta({
      title: 'The TrainModel node; may be left out where there is one',
    }),
  })
  .meta({ id: 'ConfigurationOfWorkflowRequest' })

export const Unsaid = z
  .object({
    node: z.string(),
    field: z.string().nullable().meta({ description: 'null: what the node does as a whole' }),
    message: z.string(),
  })
  .meta({ id: 'Unsaid' })
export type Unsaid = z.infer<typeof Unsaid>

export const ConfigurationOfWorkflow = z
  .object({
    node: z.string(),
    config: TrainingConfig,
    unsaid: z.array(Unsaid).meta({
      description:
        'What no key of a configuration says: with an empty list, a training of this configuration is that of the node',
    }),
  })
  .meta({ id: 'ConfigurationOfWorkflow' })
export type ConfigurationOfWorkflow = z.infer<typeof ConfigurationOfWorkflow>

import { z } from 'zod'
import { TrainingConfig } from '../configuration/training-config.js'

export const ConfigurationOfWorkflowRequest = z
  .strictObject({
    workflow: z.looseObject({}).meta({ description: 'Workflow in the current state of an editor' }),
    node: z.string().min(1).max(200).optional().meta({
      title: 'TrainModel node; optional if there is only one',
    }),
  })
  .meta({ id: 'ConfigurationOfWorkflowRequest' })

export const Unsaid = z
  .object({
    node: z.string(),
    field: z.string().nullable().meta({ description: 'null: the whole node' }),
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
        'Settings that a configuration cannot express; if the list is empty, a training with this configuration equals that of the node',
    }),
  })
  .meta({ id: 'ConfigurationOfWorkflow' })
export type ConfigurationOfWorkflow = z.infer<typeof ConfigurationOfWorkflow>

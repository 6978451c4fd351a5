import { z } from 'zod'
import { DefaultChange } from './earlier-defaults.js'
import { Workflow } from './saved-workflow.js'

export const UpgradeWorkflowRequest = z
  .strictObject({ workflow: z.looseObject({}).meta({ description: 'Workflow file of any version' }) })
  .meta({ id: 'UpgradeWorkflowRequest' })

export const UpgradedWorkflow = z
  .object({
    changes: z.array(DefaultChange).meta({
      description:
        'Settings of the file that differ from the current defaults because the file is older; empty: no changes',
    }),
    workflow: Workflow.meta({ description: 'Workflow with the current defaults, not saved' }),
  })
  .meta({ id: 'UpgradedWorkflow' })
export type UpgradedWorkflow = z.infer<typeof UpgradedWorkflow>

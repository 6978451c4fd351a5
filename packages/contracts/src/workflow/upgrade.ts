import { z } from 'zod'
import { DefaultChange } from './earlier-defaults.js'
import { Workflow } from './saved-workflow.js'

export const UpgradeWorkflowRequest = z
  .strictObject({ workflow: z.looseObject({}).meta({ description: 'A saved file of any version' }) })
  .meta({ id: 'UpgradeWorkflowRequest' })

export const UpgradedWorkflow = z
  .object({
    changes: z.array(DefaultChange).meta({
      description:
        'Settings that the file has because it is older than their defaults; empty: nothing changes',
    }),
    workflow: Workflow.meta({ description: 'The file with the defaults of today, not saved' }),
  })
  .meta({ id: 'UpgradedWorkflow' })
export type UpgradedWorkflow = z.infer<typeof UpgradedWorkflow>

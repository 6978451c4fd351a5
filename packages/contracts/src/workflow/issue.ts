import { z } from 'zod'
import { ErrorIssue } from '../codes/index.js'

/** One problem of a workflow, with its place. An issue of severity error keeps the workflow from running. */
export const WorkflowIssue = ErrorIssue.extend({
  severity: z.enum(['error', 'warning']),
  node: z.string().optional().meta({ description: 'Identifier of the node' }),
  connection: z.string().optional().meta({ description: 'Identifier of the connection' }),
  port: z.string().optional(),
  field: z.string().optional().meta({ description: 'Field of the config' }),
  cycle: z
    .array(z.string())
    .optional()
    .meta({ description: 'Nodes along the cycle; the first stands last again' }),
}).meta({ id: 'WorkflowIssue' })
export type WorkflowIssue = z.infer<typeof WorkflowIssue>

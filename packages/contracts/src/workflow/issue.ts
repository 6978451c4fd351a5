import type { z } from 'zod'
import { ErrorIssue } from '../codes/index.js'

/** One problem of a workflow, with its location. An issue of severity error prevents the workflow from running. */
export const WorkflowIssue = ErrorIssue.required({ severity: true }).meta({ id: 'WorkflowIssue' })
export type WorkflowIssue = z.infer<typeof WorkflowIssue>

import { earlierDefaults, type Workflow, type WorkflowIssue } from '@medloom/contracts'

const SHOWN = 5

/** One warning for all settings that a file has because it is older than their defaults. */
export function checkDefaults(workflow: Workflow): WorkflowIssue[] {
  const changes = earlierDefaults(workflow)
  if (changes.length === 0) return []
  const shown = changes.slice(0, SHOWN).map((change) => {
    const now = change.new === null ? 'chosen from the data' : JSON.stringify(change.new)
    return `${change.node}.${change.field} is ${JSON.stringify(change.old)} (current default: ${now})`
  })
  const more = changes.length > SHOWN ? `; ${changes.length - SHOWN} more` : ''
  return [
    {
      severity: 'warning',
      path: 'earlier_defaults',
      code: 'EARLIER_DEFAULTS',
      message: `the workflow uses the defaults of the version that saved it: ${shown.join('; ')}${more}`,
      hint: 'To use the current defaults, run "medloom workflow upgrade"; this changes the training. To keep these values, run it with --keep.',
    },
  ]
}

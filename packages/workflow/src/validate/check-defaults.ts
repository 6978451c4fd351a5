import {
  after,
  earlierDefaults,
  hintOf,
  messageOf,
  type Phrase,
  phrase,
  type Workflow,
  type WorkflowIssue,
} from '@medloom/contracts'

const SHOWN = 5

/** One warning for all settings that a file has because it is older than their defaults. */
export function checkDefaults(workflow: Workflow): WorkflowIssue[] {
  const changes = earlierDefaults(workflow)
  if (changes.length === 0) return []
  const shown = changes.slice(0, SHOWN).map((change): Phrase => {
    const now = change.new === null ? [phrase('chosen_from_data')] : JSON.stringify(change.new)
    const field = `${change.node}.${change.field}`
    return phrase('earlier_default', { field, value: JSON.stringify(change.old), now })
  })
  if (changes.length > SHOWN) shown.push(phrase('one_more', { count: changes.length - SHOWN }))
  return [
    {
      severity: 'warning',
      path: 'earlier_defaults',
      code: 'EARLIER_DEFAULTS',
      ...messageOf(phrase('earlier_defaults', { changes: shown.map((one) => after('semicolon', one)) })),
      ...hintOf(phrase('upgrade_defaults')),
    },
  ]
}

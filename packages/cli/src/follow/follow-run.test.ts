import type { NodeState, WorkflowStatus } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { failures } from './follow-run.js'

const failed = (trace: string | null) => {
  const error = { type: 'FILTER_INVALID', message: 'there is no column "agee"', trace }
  const nodes = { keep: { status: 'error', error } as NodeState }
  return failures({ workflow_id: '0123456789', nodes } as Pick<WorkflowStatus, 'workflow_id' | 'nodes'>)[0]
}

test('an error of the input is printed without the stack of the service', () => {
  const { stack = '' } = new Error('there is no column "agee"')
  expect(stack).toContain('at ')
  expect(failed(stack)).toBe('keep: there is no column "agee"')
  expect(failed(null)).toBe('keep: there is no column "agee"')
})

test('the trace of code of the user is printed', () => {
  expect(failed('node.py:3 in run\nKeyError')).toContain('node.py:3 in run')
})

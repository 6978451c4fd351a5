import type { WorkflowIssue } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { limitIssues } from './limit-issues.js'

const issues = (count: number, severity: 'error' | 'warning'): WorkflowIssue[] =>
  Array.from({ length: count }, (_, index) => ({
    path: `nodes.${severity}${index}`,
    code: 'INVALID_VALUE',
    message: 'wrong',
    severity,
  }))

test('a thousand issues are shown in their order', () => {
  const all = [...issues(500, 'warning'), ...issues(500, 'error')]
  expect(limitIssues(all)).toEqual(all)
})

test('if there are more, errors are shown before warnings, and the last entry gives the number of the others', () => {
  const shown = limitIssues([...issues(2000, 'warning'), ...issues(999, 'error')])
  expect(shown).toHaveLength(1001)
  expect(shown.slice(0, 999).every(({ severity }) => severity === 'error')).toBe(true)
  expect(shown.at(-1)).toMatchObject({
    code: 'MORE_ISSUES',
    severity: 'warning',
    message: '1,999 more problems',
  })
})

test('if errors are not shown, the last issue is an error', () => {
  expect(limitIssues(issues(1001, 'error')).at(-1)).toMatchObject({
    severity: 'error',
    message: '1 more problem',
  })
})

import type { Inspection } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { inspectionPage } from './page.js'

const note = '9 volumes are read as 5 coronal slices spread over their whole extent.'
const found = (checks: Inspection['readiness']['checks']): Inspection => ({
  path: '/study/mr.csv',
  kind: 'image',
  columns: [],
  num_cases: 9,
  num_patients: null,
  task: 'classification',
  classes: null,
  missing: {},
  splits: {},
  digest: '',
  readiness: { status: 'ready', checks },
})

it('an inspection shows how volumes are read even without problems', () => {
  const page = inspectionPage(
    found([{ key: 'VOLUMES_AS_SLICES', status: 'ready', message: note, hint: null }]),
  )
  expect(page).toContain(`volumes     ${note}`)
  expect(inspectionPage(found([]))).not.toContain('volumes')
})

it('an inspection shows the steps of the recipe even without problems', () => {
  const step = (message: string) => ({ key: 'recipe', status: 'ready' as const, message, hint: null })
  const page = inspectionPage(found([step('60 rows of "cases".'), step('joined with "sites" by "id".')]))
  expect(page).toContain('recipe      60 rows of "cases".\n            joined with "sites" by "id".')
})

it.each([
  ['survival', ['dead', 'days'], 'data: { time_column: "days", event_column: "dead" }'],
  ['multilabel', ['a', 'b'], 'data: { label_columns: ["a", "b"] }'],
  ['regression', ['a'], 'data: { label_column: "a" }'],
] as const)('the label of %s is shown with its configuration key', (task, labels, label) => {
  const columns = labels.map((name) => ({
    name,
    role: 'label' as const,
    missing: 0,
    distinct: 2,
    reason: '',
  }))
  const times = task === 'survival' ? { time_column: 'days', event_column: 'dead' } : {}
  expect(inspectionPage({ ...found([]), task, columns, ...times })).toContain(`label       ${label}`)
})

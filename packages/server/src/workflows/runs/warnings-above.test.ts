import { PENDING_NODE } from '@medloom/workflow'
import { expect, it } from 'vitest'
import { draw } from '../../../testing/draw.js'
import { warningsAbove } from './warnings-above.js'

//  load ─► filter ─► report      aside ─► other
//    └──────────────────┘
it('are those of every node that the result rests on, each once, and of no other', () => {
  const workflow = draw({ load: ['A'], filter: ['B'], report: ['C'], aside: ['A'], other: ['C'] }, [
    'load.o > filter.i',
    'filter.o > report.i',
    'load.o > report.j',
    'aside.o > other.i',
  ])
  const states = new Map(
    ['load', 'filter', 'report', 'aside'].map((id) => [
      id,
      { ...PENDING_NODE, warnings: [{ code: 'FILES_LEFT_OUT' as const, message: `of ${id}` }] },
    ]),
  )
  expect(warningsAbove(workflow, states, 'report')).toEqual([
    { node: 'load', code: 'FILES_LEFT_OUT', message: 'of load' },
    { node: 'filter', code: 'FILES_LEFT_OUT', message: 'of filter' },
  ])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { Workflows, workflow } from '../testing/workflow.js'

const workflows = new Workflows(new Caller(shared.url))

//  one ─┐
//       ├─► merged      the same cases twice
//  two ─┘
it('what a node warned of is read with its state, also when its result is cached', async () => {
  const path = join(shared.dataset, 'train.csv')
  const { id, nodes } = await workflows.succeed(
    workflow(
      {
        one: ['LoadTabular', { path }],
        two: ['LoadTabular', { path }],
        merged: ['MergeDatasets'],
      },
      ['one.dataframe > merged.dataset1', 'two.dataframe > merged.dataset2'],
    ),
  )
  expect(nodes.merged?.warnings).toContainEqual({
    code: 'DUPLICATE_CASES',
    message: expect.stringContaining('cases of several sources were kept once'),
  })
  expect(nodes.one).not.toHaveProperty('warnings')
  const again = await workflows.run(id)
  expect(again.nodes.merged).toMatchObject({ status: 'cached', warnings: nodes.merged?.warnings })
  const [snapshot] = await workflows.listen(id, ({ type }) => type === 'snapshot')
  expect(snapshot).toMatchObject({ state: { nodes: { merged: { warnings: nodes.merged?.warnings } } } })
  const first = nodes.merged?.warnings?.[0]
  const report = (name: string) =>
    readFileSync(join(shared.dataDir, 'workflows', id, 'reports', name), 'utf8')
  expect(report('report.md')).toContain(`merged: ${first?.message} [${first?.code}]`)
  expect(JSON.parse(report('summary.json')).nodes.merged.warnings).toEqual(nodes.merged?.warnings)
})

import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { draw } from '../../../testing/workflows.js'
import { configurationFile } from './configuration-file.js'

const LONG = Array.from({ length: 60 }, (_, i) => `column_${i} > ${i}`).join(' and ')

it('config.yaml is the same document, however many nodes are written per step', async () => {
  for (const count of [0, 1, 19, 20, 21, 45]) {
    const nodes = Object.fromEntries(
      Array.from({ length: count }, (_, i): [string, [string, object]] => [
        i % 3 === 0 ? `node ${i}: "odd"` : `n${i}`,
        [
          'FilterData',
          { filter_condition: i % 2 === 0 ? LONG : 'a > 1\nand b is missing', filter_column: null },
        ],
      ]),
    )
    const workflow = draw(nodes as never, [])
    const text = await configurationFile({ workflow_id: 'w', revision: 3, workflow })
    const { name, description, tags } = workflow.metadata
    const whole = {
      workflow_id: 'w',
      revision: 3,
      name,
      description,
      tags,
      nodes: Object.fromEntries(workflow.nodes.map(({ id, type, config }) => [id, { type, config }])),
    }
    expect(parse(text)).toEqual(whole)
    expect(text).toBe(stringify(whole, { aliasDuplicateObjects: false, lineWidth: 110 }))
  }
})

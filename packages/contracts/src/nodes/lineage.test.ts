import { describe, expect, it } from 'vitest'
import { type LineageRelation, NODES, type NodeDefinition } from '../index.js'

const definitions = Object.entries(NODES) as [string, NodeDefinition][]
/** Types whose values are cases. */
const CASES = ['image', 'tabular', 'dataset', 'multimodal', 'training_data']

function namesIn(one: LineageRelation): string[] {
  const into = 'output' in one ? [`out ${one.output}`] : []
  switch (one.relation) {
    case 'source':
      return [...into, `field ${one.named_by}`, ...(one.part ? [`field ${one.part.field}`] : [])]
    case 'unidentified':
      return into
    case 'same_as':
    case 'part_of':
    case 'subset_of':
      return [...into, `in ${one.of}`]
    case 'union_of':
      return [...into, ...one.of.map((port) => `in ${port}`)]
    case 'fits':
      return [
        ...into,
        ...one.on.map((port) => `in ${port}`),
        ...(one.leak_allowed_by ? [`field ${one.leak_allowed_by}`] : []),
      ]
    case 'applied_to':
      return [one.fitted, ...one.to].map((port) => `in ${port}`)
    case 'continues':
      return [...[one.fitted, ...one.on].map((port) => `in ${port}`), `field ${one.when.field}`]
    case 'evaluates':
    case 'predicts':
      return [one.model, one.on].map((port) => `in ${port}`)
  }
}

describe('the lineage of every node', () => {
  it.each(definitions)(
    '%s names its own ports and fields alone',
    (_, { lineage, inputs, outputs, config }) => {
      const known = new Set([
        ...inputs.map(({ name }) => `in ${name}`),
        ...outputs.map(({ name }) => `out ${name}`),
        ...Object.keys(config.shape).map((name) => `field ${name}`),
      ])
      const named = lineage.flatMap(namesIn)
      expect(named.filter((name) => !known.has(name))).toEqual([])
    },
  )

  it.each(definitions)('%s declares the origin of each output that contains cases, once', (_, node) => {
    const explained = node.lineage.flatMap((one) => ('output' in one ? [one.output] : []))
    const holding = node.outputs.filter(({ type }) => CASES.includes(type)).map(({ name }) => name)
    for (const output of holding) expect(explained.filter((name) => name === output)).toEqual([output])
  })

  it.each(definitions)('%s declares the cases on which each of its trained models was fitted', (_, node) => {
    const fitted = node.lineage.flatMap((one) => (one.relation === 'fits' ? [one.output] : []))
    for (const { name, kind } of node.outputs) if (kind === 'trained') expect(fitted).toContain(name)
  })

  it.each(definitions)('%s evaluates or prepares no input that it does not declare so', (_, node) => {
    const tested = node.inputs.some(({ name }) => name.startsWith('test_'))
    expect(node.lineage.some(({ relation }) => relation === 'evaluates')).toBe(tested)
  })
})

it('a definition without lineage or inference does not compile', () => {
  const { lineage, infer, ...facts } = NODES.FilterData as NodeDefinition
  // @ts-expect-error lineage is missing
  const silent: NodeDefinition = { ...facts, infer }
  // @ts-expect-error inference is missing
  const blind: NodeDefinition = { ...facts, lineage }
  expect([silent, blind]).toHaveLength(2)
})

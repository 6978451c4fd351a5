import { type Catalog, inferNothing, NO_CASES, NODES, type NodeDefinition } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { workflowOf } from '../testing/arithmetic.js'
import { connect } from '../testing/examples.js'
import { VERSIONS, Workbench } from '../testing/workbench.js'
import { type Executors, infer, plan, type Value, validate } from './index.js'

/**
 * A node unknown to all parts of the engine: its definition and its executor are sufficient (CONTRIBUTING.md, "How to add a node").
 * It holds out a number of cases, so that a model may be trained on the rest and tested on them.
 */
const HoldOut = {
  group: 'Utility',
  title: 'Hold out',
  summary: 'Sets a number of cases aside.',
  runs: 'service',
  resource: 'cpu',
  version: 1,
  inputs: [{ name: 'cases', type: 'dataset', title: 'Cases' }],
  outputs: [
    { name: 'held_out', type: 'dataset', title: 'Held out', carries: 'cases' },
    { name: 'rest', type: 'dataset', title: 'The rest', carries: 'cases' },
  ],
  config: z.strictObject({ count: z.int().min(1).default(10) }),
  lineage: [
    { relation: 'part_of', output: 'held_out', of: 'cases' },
    { relation: 'part_of', output: 'rest', of: 'cases' },
  ],
  infer: ({ config, inputs: { cases } }) => {
    const count = Number(config.count)
    const all = cases?.cases
    return {
      outputs: {
        held_out: { cases: count },
        rest: { cases: all === undefined ? undefined : all - count },
      },
      issues:
        all !== undefined && count >= all
          ? [
              {
                severity: 'error',
                code: 'INVALID_VALUE',
                message: `Field count is ${count}, but the input has ${all} cases`,
                field: 'count',
              },
            ]
          : [],
    }
  },
} as const satisfies NodeDefinition

/** A source with the number of cases from its config. */
const Cases = {
  ...NODES.LoadTabular,
  inputs: [],
  outputs: [{ name: 'cases', type: 'dataset', title: 'Cases' }],
  config: z.strictObject({ name: z.string(), count: z.int() }),
  lineage: [{ relation: 'source', output: 'cases', named_by: 'name' }],
  infer: ({ config }) => ({ outputs: { cases: { cases: Number(config.count), labels: true } } }),
} as const satisfies NodeDefinition

const CATALOG: Catalog = { ...NODES, HoldOut, Cases }

/** cases ─► hold ─► train ─► test ◄─ (the part of hold that is tested on) */
const drawn = (count: number, tested: 'held_out' | 'rest') =>
  workflowOf(
    [
      { id: 'cases', type: 'Cases', config: { name: 'a.csv', count: 100 } },
      { id: 'hold', type: 'HoldOut', config: { count } },
      { id: 'train', type: 'TrainModel', config: {} },
      { id: 'test', type: 'EvaluateModel', config: {} },
    ],
    [
      connect('cases.cases', 'hold.cases'),
      connect('hold.rest', 'train.train_dataset'),
      connect('train.trained_model', 'test.model'),
      connect(`hold.${tested}`, 'test.test_dataset'),
    ],
  )
const checked = (count: number, tested: 'held_out' | 'rest' = 'held_out') =>
  validate(drawn(count, tested), CATALOG)

describe('a new node', () => {
  it('is validated by its schema and its ports', () => {
    const about = (count: number) => checked(count).issues.filter(({ node }) => node === 'hold')
    expect(about(20)).toEqual([])
    expect(about(0)).toMatchObject([{ node: 'hold', field: 'count', severity: 'error' }])
  })

  it('is inferred by its own function', () => {
    const { outputs } = infer(checked(20))
    expect(outputs.get('hold')).toMatchObject({
      held_out: { cases: 20, labels: true },
      rest: { cases: 80, labels: true },
    })
    expect(infer(checked(100)).issues).toMatchObject([
      { node: 'hold', path: 'nodes.hold.config.count', message: expect.stringMatching(/has 100 cases/) },
      { node: 'train', port: 'train_dataset', message: 'input train_dataset receives no cases' },
    ])
  })

  it('is checked for leaks by its lineage', () => {
    const leaks = (tested: 'held_out' | 'rest') => infer(checked(20, tested)).issues.map(({ code }) => code)
    expect(leaks('held_out')).toEqual([])
    expect(leaks('rest')).toEqual(['DATASET_LEAK'])
  })

  it('is planned, executed and cached', async () => {
    const value = (content: unknown): Value => ({
      type: 'dataset',
      digest: JSON.stringify(content),
      summary: '',
      content,
    })
    const executors: Executors = {
      Cases: ({ config }) => ({ cases: value(Array.from({ length: Number(config.count) }, (_, i) => i)) }),
      HoldOut: ({ config, inputs }) => {
        const cases = inputs.cases?.[0]?.value.content as number[]
        const count = Number(config.count)
        return { held_out: value(cases.slice(0, count)), rest: value(cases.slice(count)) }
      },
    }
    const bench = new Workbench(executors)
    const validated = checked(20)
    const request = { targets: ['hold'] }
    const before = await plan(validated, request, { cache: bench.cache, software: VERSIONS })
    expect(before).toMatchObject({ ok: true, counts: { run: 2, reuse: 0, skip: 2 } })

    const { status, made } = await bench.run(validated.workflow, { validated, ...request })
    expect(status).toBe('success')
    expect(made.get('hold')?.outputs.rest?.content).toHaveLength(80)

    const after = await plan(checked(30), request, {
      cache: bench.cache,
      software: VERSIONS,
      previous: async () => made,
    })
    expect(after).toMatchObject({
      steps: [{ node: 'cases', action: 'reuse' }, { node: 'hold', reason: 'config_changed' }, {}, {}],
    })
  })

  it('through which no cases pass declares this', () => {
    const Note: NodeDefinition = {
      ...HoldOut,
      inputs: [],
      outputs: [],
      lineage: NO_CASES,
      infer: inferNothing,
    }
    const workflow = workflowOf([{ id: 'note', type: 'Note', config: {} }], [])
    expect(infer(validate(workflow, { Note }))).toMatchObject({ issues: [] })
  })
})

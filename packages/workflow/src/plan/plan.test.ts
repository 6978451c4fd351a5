import { type Catalog, NODES, type Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { ARITHMETIC, arithmetic, graph, tensor, validated } from '../../testing/arithmetic.js'
import { connect, training } from '../../testing/examples.js'
import { EMPTY_CACHE, VERSIONS, Workbench } from '../../testing/workbench.js'
import {
  forceOfResume,
  type KeyParts,
  type PlanKnowledge,
  type PlanRequest,
  plan,
  type RunResult,
  type SupplyImplicit,
  type Versions,
  validate,
} from '../index.js'

//  a ──► c ──► d ──► f
//  b ────┘     └───► g      e is isolated
const DRAWING = 'a b > c > d > f g, e'

/** Parts of results stored before versions were part of the key. */
function unversioned({ software: _, implicit: __, ...parts }: KeyParts): KeyParts {
  return parts
}

/** Plan with the cache of a workbench. */
async function planned(
  bench: Workbench,
  workflow: Workflow,
  request: PlanRequest = {},
  made?: RunResult['made'],
) {
  const result = await plan(validated(workflow), request, {
    cache: bench.cache,
    ...(made ? { previous: async () => made } : {}),
  })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return Object.fromEntries(result.steps.map(({ node, action, reason }) => [node, `${action} ${reason}`]))
}

describe('a plan', () => {
  it('of a new workflow runs everything, what is below waiting for what is above', async () => {
    expect(await planned(new Workbench(), graph(DRAWING))).toEqual({
      a: 'run never_run',
      b: 'run never_run',
      c: 'run upstream_runs',
      d: 'run upstream_runs',
      e: 'run never_run',
      f: 'run upstream_runs',
      g: 'run upstream_runs',
    })
  })

  it('after a run reuses everything and runs nothing', async () => {
    const bench = new Workbench()
    await bench.run(graph(DRAWING))
    expect(new Set(Object.values(await planned(bench, graph(DRAWING))))).toEqual(new Set(['reuse cached']))
  })

  //  a ──► c ──► d ──► f      four waves: a, b and e; c; d; f and g
  it('looks up the keys of a wave together, and stops asking below what is not cached', async () => {
    const bench = new Workbench()
    await bench.run(graph(DRAWING))
    const sizes: number[] = []
    const cache = {
      peekMany: (keys: readonly string[]) => {
        sizes.push(keys.length)
        return bench.cache.peekMany(keys)
      },
    }
    await plan(validated(graph(DRAWING)), {}, { cache })
    expect(sizes.splice(0)).toEqual([3, 1, 1, 2])
    await plan(validated(graph(DRAWING, { c: { offset: 3 } })), {}, { cache })
    expect(sizes).toEqual([3, 1])
  })

  it('after a change runs the changed node and those below it, and states the change', async () => {
    const bench = new Workbench()
    const { made } = await bench.run(graph(DRAWING))
    const changed = graph(DRAWING, { c: { offset: 3 } })
    expect(await planned(bench, changed, {}, made)).toEqual({
      a: 'reuse cached',
      b: 'reuse cached',
      c: 'run config_changed',
      d: 'run upstream_runs',
      e: 'reuse cached',
      f: 'run upstream_runs',
      g: 'run upstream_runs',
    })
    const result = await plan(validated(changed), {}, { cache: bench.cache, previous: async () => made })
    expect(result.ok && result.steps.find(({ node }) => node === 'c')).toMatchObject({
      message: 'the configuration changed: offset',
      changes: [{ what: 'field', name: 'offset' }],
    })
  })

  it('contains the previous duration of nodes to run, although their inputs are not known yet', async () => {
    const bench = new Workbench()
    const { made } = await bench.run(graph(DRAWING))
    const timed = new Map(
      [...made].map(([id, result]) => [id, { ...result, seconds: id === 'f' ? null : 7 }]),
    )
    const changed = validated(graph(DRAWING, { c: { offset: 3 } }))
    const result = await plan(changed, {}, { cache: bench.cache, previous: async () => timed })
    const seconds = result.ok && result.steps.map(({ node, estimate_seconds }) => [node, estimate_seconds])
    expect(Object.fromEntries(seconds || [])).toEqual({ a: 0, b: 0, c: 7, d: 7, e: 0, f: null, g: 7 })
  })

  it('runs forced nodes though they are cached', async () => {
    const bench = new Workbench()
    await bench.run(graph(DRAWING))
    expect(await planned(bench, graph(DRAWING), { force: ['d'] })).toMatchObject({
      c: 'reuse cached',
      d: 'run forced',
      f: 'run upstream_runs',
    })
  })

  it('for targets leaves out what no target needs', async () => {
    expect(await planned(new Workbench(), graph(DRAWING), { targets: ['c'] })).toEqual({
      a: 'run never_run',
      b: 'run never_run',
      c: 'run upstream_runs',
      d: 'skip not_needed',
      e: 'skip not_needed',
      f: 'skip not_needed',
      g: 'skip not_needed',
    })
  })

  it('reports an expired result', async () => {
    const bench = new Workbench(undefined, { timeToLive: 1000 })
    const { made } = await bench.run(graph(DRAWING))
    bench.clock.advance(1000)
    expect(await planned(bench, graph(DRAWING), {}, made)).toMatchObject({
      a: 'run not_cached',
      e: 'run not_cached',
    })
  })

  it('runs a node again whose implementation is newer, whatever its config', async () => {
    const bench = new Workbench()
    const { made } = await bench.run(graph(DRAWING))
    const newer = { ...ARITHMETIC, Add: { ...ARITHMETIC.Add, version: 2 } }
    const result = await plan(
      validate(graph(DRAWING), newer),
      {},
      { cache: bench.cache, previous: async () => made },
    )
    expect(
      result.ok &&
        result.steps
          .filter(({ reason }) => reason === 'implementation_changed')
          .map(({ node, message }) => [node, message]),
    ).toEqual([['c', 'the definition of the node changed: version 1 → 2']])
  })

  //  a ──► b      both use a model; the parts of an old result name no versions
  it('runs a node again if the version of its software changed, and names it; one without software is reused', async () => {
    const catalog = { ...ARITHMETIC, Add: { ...ARITHMETIC.Add, software: 'model' } } as const
    const check = validate(graph('a > b'), catalog)
    const bench = new Workbench()
    const { made } = await bench.run(graph('a > b'), { validated: check })
    const steps = async (software?: Versions, previous = made) => {
      const result = await plan(
        check,
        {},
        { cache: bench.cache, previous: async () => previous, ...(software ? { software } : {}) },
      )
      return result.ok ? result.steps.map(({ reason, message }) => [reason, message]) : []
    }
    expect((await steps(VERSIONS)).map(([reason]) => reason)).toEqual(['cached', 'cached'])
    expect((await steps({ ...VERSIONS, psutil: '7' })).map(([reason]) => reason)).toEqual([
      'cached',
      'cached',
    ])
    expect(await steps({ ...VERSIONS, torch: '2.10.0', timm: '1.0' })).toEqual([
      ['cached', 'the result is cached'],
      ['software_changed', 'the software changed: torch 2.9.1 → 2.10.0, timm absent → 1.0'],
    ])
    expect((await steps()).map(([reason]) => reason)).toEqual(['cached', 'software_unknown'])
    const old = new Map(
      [...made].map(([node, { parts, ...result }]) => [node, { ...result, parts: unversioned(parts) }]),
    )
    expect((await steps({ ...VERSIONS, numpy: '3' }, old))[1]).toEqual([
      'software_changed',
      'the software changed: the software versions of the result were not recorded',
    ])
  })

  //  a ──► b ──► c      c shows how often something was done, and what a and b warned of
  it('runs a node again when an implicit input changed, and its executor is given what was keyed', async () => {
    const catalog = {
      ...ARITHMETIC,
      Show: { ...ARITHMETIC.Add, implicit_inputs: ['evaluation_counts', 'warnings_above'] },
    } as const satisfies Catalog
    const drawn = graph('a > b > c')
    const workflow = { ...drawn, nodes: drawn.nodes.map((n) => (n.id === 'c' ? { ...n, type: 'Show' } : n)) }
    const check = validate(workflow, catalog)
    let count = 1
    const implicitInput: SupplyImplicit = (name, { warningsAbove, inputs, nodesAbove, workflowName }) =>
      name === 'evaluation_counts'
        ? { count, of: Object.keys(inputs), above: nodesAbove.map(({ type }) => type), workflowName }
        : warningsAbove
    const shown: unknown[] = []
    const bench = new Workbench({
      ...arithmetic,
      Number: (task) => {
        task.warn('FILES_LEFT_OUT', `of ${task.node}`)
        return { out: tensor(1) }
      },
      Show: (task) => {
        shown.push(task.implicit)
        return { out: tensor(2) }
      },
    })
    const options = { validated: check, implicitInput }
    const { made } = await bench.run(workflow, options)
    const last = async () => {
      const result = await plan(check, {}, { cache: bench.cache, previous: async () => made, implicitInput })
      return result.ok && result.steps.at(-1)
    }
    expect(await last()).toMatchObject({ node: 'c', reason: 'cached' })
    expect(await bench.executedBy(workflow, options)).toEqual([])
    count = 10
    expect(await last()).toMatchObject({
      reason: 'implicit_input_changed',
      message: 'other information that the node shows has changed: the number of evaluations of the model',
    })
    expect(await bench.executedBy(workflow, options)).toEqual(['c'])
    const warnings_above = [{ node: 'a', code: 'FILES_LEFT_OUT', message: 'of a' }]
    const known = { of: ['in1'], above: ['Number', 'Add'], workflowName: workflow.metadata.name }
    expect(shown).toEqual([
      { evaluation_counts: { count: 1, ...known }, warnings_above },
      { evaluation_counts: { count: 10, ...known }, warnings_above },
    ])
  })

  it('is not disturbed by moving or labeling nodes, nor by the order and ids of connections', async () => {
    const bench = new Workbench()
    const workflow = graph(DRAWING)
    await bench.run(workflow)
    const moved: Workflow = {
      ...workflow,
      nodes: workflow.nodes.map((node) => ({ ...node, position: { x: 9, y: 9 }, label: 'new' })).reverse(),
      connections: workflow.connections
        .map((connection, i) => ({ ...connection, id: `other${i}` }))
        .reverse(),
    }
    expect(new Set(Object.values(await planned(bench, moved)))).toEqual(new Set(['reuse cached']))
  })

  it('runs a renamed node again: its id is part of the key', async () => {
    const bench = new Workbench()
    await bench.run(graph('a > b'))
    expect(await planned(bench, graph('a > z'))).toEqual({ a: 'reuse cached', z: 'run never_run' })
  })

  it('cannot reuse a source before its content is known, and distinguishes a changed file from a touched one', async () => {
    const check = validate(training())
    const cache = EMPTY_CACHE
    const reason = async (sources?: ReadonlyMap<string, string>, previous?: PlanKnowledge['previous']) => {
      const result = await plan(
        check,
        {},
        { cache, software: VERSIONS, ...(sources ? { sources } : {}), ...(previous ? { previous } : {}) },
      )
      return result.ok && result.steps.find(({ node }) => node === 'load')?.reason
    }
    const config = NODES.LoadDataset.config.parse({ dataset_id: 'pad' })
    const { version } = NODES.LoadDataset
    const software = { medloom_trainer: '0.1.0', numpy: '2.0' }
    const parts = { id: 'load', type: 'LoadDataset', version, software, config, inputs: [], source: 'one' }
    const before = async () => new Map([['load', { parts }]])
    expect(await reason()).toBe('source_unknown')
    expect(await reason(new Map([['load', 'two']]), before)).toBe('source_changed')
    expect(await reason(new Map([['load', 'one']]), before)).toBe('not_cached')
  })

  it('of an invalid workflow is refused with its issues, unless the targets do not need the faulty part', async () => {
    const workflow = training({ evaluate: { metrics: ['speed'] } })
    const request = (targets?: string[]) =>
      plan(validate(workflow), targets ? { targets } : {}, { cache: EMPTY_CACHE })
    expect(await request()).toMatchObject({ ok: false, issues: [{ node: 'evaluate', field: 'metrics' }] })
    expect(await request(['train'])).toMatchObject({ ok: true, counts: { run: 8, reuse: 0, skip: 1 } })
  })

  //  a ──► b ⇄ c      d
  it('does not mind a cycle that the targets do not need', async () => {
    const cache = EMPTY_CACHE
    const check = validated(graph('a > b > c > b, d'))
    expect(await plan(check, { targets: ['d'] }, { cache })).toMatchObject({ ok: true })
    expect(await plan(check, { targets: ['c'] }, { cache })).toMatchObject({
      ok: false,
      issues: [{ code: 'CYCLE' }],
    })
    expect(await plan(check, {}, { cache })).toMatchObject({ ok: false })
  })

  it('names targets and forced nodes that do not exist', async () => {
    const result = await plan(
      validated(graph('alpha > beta')),
      { targets: ['betta'], force: ['gamma'] },
      { cache: EMPTY_CACHE },
    )
    expect(result).toMatchObject({
      ok: false,
      issues: [
        { code: 'UNKNOWN_NODE', path: 'targets', hint: 'Did you mean "beta"?' },
        { code: 'UNKNOWN_NODE', path: 'force' },
      ],
    })
  })

  it('saves a workflow again when the workflow changed in any way but its history', async () => {
    const workflow = training()
    const saving = (changes: Partial<Workflow>): Workflow => ({
      ...workflow,
      nodes: [...workflow.nodes, { id: 'save', type: 'SaveWorkflow', position: { x: 0, y: 0 }, config: {} }],
      ...changes,
    })
    const keys: string[] = []
    const cache = {
      peekMany: async (peeked: readonly string[]) => {
        keys.push(...peeked)
        return new Map()
      },
    }
    const history = [{ timestamp: '2026-01-01T00:00:00Z', status: 'success', duration: 1, metrics: {} }]
    const renamed = { ...workflow.metadata, name: 'other' }
    for (const changes of [{}, { execution_history: history }, { metadata: renamed }])
      await plan(validate(saving(changes)), { targets: ['save'] }, { cache })
    expect(keys[0]).toBe(keys[1])
    expect(keys[2]).not.toBe(keys[0])
  })
})

describe('resuming', () => {
  it('forces what was to be forced and has not succeeded', () => {
    expect(forceOfResume(['a', 'b', 'c'], { a: { status: 'success' }, b: { status: 'error' } })).toEqual([
      'b',
      'c',
    ])
  })
})

it('the examples of these tests are connected as drawn', () => {
  expect(connect('a.b', 'c.d')).toEqual({ source: 'a', source_port: 'b', target: 'c', target_port: 'd' })
  expect(tensor(1).digest).not.toBe(tensor('1').digest)
})

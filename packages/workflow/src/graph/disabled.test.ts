import type { NodeMode, Workflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { graph, validated } from '../../testing/arithmetic.js'
import { connect, training } from '../../testing/examples.js'
import { Workbench } from '../../testing/workbench.js'
import { infer, plan, validate } from '../index.js'

//  a ──► c ──► d ──► f
//  b ────┘     └───► g      e is isolated
const DRAWING = 'a b > c > d > f g, e'

function withModes(workflow: Workflow, modes: Readonly<Record<string, NodeMode>>): Workflow {
  const nodes = workflow.nodes.map((node) => {
    const mode = modes[node.id]
    return mode ? { ...node, mode } : node
  })
  return { ...workflow, nodes }
}

async function skipped(workflow: Workflow, targets?: string[]) {
  const planned = await plan(validated(workflow), { targets }, { cache: new Workbench().cache })
  if (!planned.ok) return planned.issues.map(({ code, message }) => `${code} ${message}`)
  const steps = planned.steps.filter(({ action }) => action === 'skip')
  return Object.fromEntries(steps.map(({ node, message }) => [node, message]))
}

describe('a muted node', () => {
  it('does not run, nor do nodes that depend only on it; the plan states the reason', async () => {
    expect(await skipped(withModes(graph(DRAWING), { c: 'muted' }))).toEqual({
      c: 'it is muted',
      d: 'a required input, or all inputs, come from muted nodes: c',
      f: 'a required input, or all inputs, come from muted nodes: c',
      g: 'a required input, or all inputs, come from muted nodes: c',
    })
    // c still has another value.
    expect(await skipped(withModes(graph(DRAWING), { a: 'muted' }))).toEqual({ a: 'it is muted' })
  })

  it('takes what requires it along, and leaves what can do without it', () => {
    const { disabled, graph, issues } = validate(withModes(training(), { split: 'muted', fusion: 'muted' }))
    const off = graph.nodes.flatMap(({ id }, number) => (disabled[number] ? [id] : []))
    expect(off).toEqual(['build', 'evaluate', 'fusion', 'split', 'train'])
    expect(issues).toEqual([])
    const withoutValidation = training()
    withoutValidation.nodes.push({ ...node(withoutValidation, 'load'), id: 'other' })
    for (const connection of withoutValidation.connections)
      if (connection.target_port === 'val_dataset')
        Object.assign(connection, connect('other.dataset', 'train.val_dataset'))
    const without = validate(withModes(withoutValidation, { other: 'muted' }))
    expect(without.disabled.filter(Boolean)).toEqual([{ why: 'muted' }])
    expect(without.issues).toEqual([])
  })

  it('is refused as a target, and so is what it takes along', async () => {
    const workflow = withModes(graph(DRAWING), { c: 'muted' })
    expect(await skipped(workflow, ['c', 'f', 'e'])).toEqual([
      'NODE_DISABLED "c" does not run: it is muted',
      'NODE_DISABLED "f" does not run: it depends on "c", which is muted',
    ])
  })

  it('changes the keys of those nodes alone at which something else arrives', async () => {
    const bench = new Workbench()
    await bench.run(graph(DRAWING))
    expect(await bench.executedBy(withModes(graph(DRAWING), { g: 'muted' }))).toEqual([])
    // c is 1 + 2 and then 2.
    expect(await bench.executedBy(withModes(graph(DRAWING), { a: 'muted' }))).toEqual(['c', 'd', 'f', 'g'])
    expect(await bench.executedBy(graph(DRAWING))).toEqual([])
  })

  it('may be of an unknown type, or have a config that is not valid', () => {
    const workflow = withModes(graph(DRAWING, { c: { offset: 'none' } }), { c: 'muted' })
    expect(validated(workflow).issues).toEqual([])
    const unknown = workflow.nodes.map((node) => (node.id === 'c' ? { ...node, type: 'Later' } : node))
    expect(validated({ ...workflow, nodes: unknown }).issues).toEqual([])
  })
})

describe('a bypassed node', () => {
  it('does not run, and what arrives at it arrives below it', async () => {
    const bench = new Workbench()
    const workflow = withModes(graph(DRAWING), { c: 'bypassed', d: 'bypassed' })
    const { nodes } = await bench.run(workflow)
    expect(bench.executed.sort()).toEqual(['a', 'b', 'e', 'f', 'g'])
    expect(nodes.f?.outputs.out?.summary).toBe('1')
    expect(await skipped(workflow)).toEqual({
      c: 'it is bypassed; its input is passed on',
      d: 'it is bypassed; its input is passed on',
    })
  })

  it('keeps everything above it cached, and below it what gets an equal value', async () => {
    const bench = new Workbench()
    const plain = graph(DRAWING, { d: { offset: 0 } })
    await bench.run(plain)
    // d returns its input.
    expect(await bench.executedBy(withModes(plain, { d: 'bypassed' }))).toEqual([])
  })

  it('passes images on to what follows, whatever they are taken for there', () => {
    const { graph, issues, ...rest } = validate(withModes(training(), { images: 'bypassed' }))
    expect(issues).toEqual([])
    const split = graph.incoming[graph.numberOf.get('split') ?? -1]
    expect(split?.map(({ connection }) => connection.source)).toEqual(['load'])
    expect(infer({ graph, issues, ...rest }).outputs.has('images')).toBe(false)
  })

  it('is refused where no input has the type of an output that is used, or none is connected', () => {
    const codes = (modes: Readonly<Record<string, NodeMode>>, workflow = training()) =>
      validate(withModes(workflow, modes)).issues.map(({ code, node, port }) => `${code} ${node} ${port}`)
    expect(codes({ train: 'bypassed' })).toEqual(['BYPASS_IMPOSSIBLE train trained_model'])
    // No node uses its output.
    expect(codes({ train: 'bypassed', evaluate: 'muted' })).toEqual([])
    const unconnected = training()
    unconnected.connections = unconnected.connections.filter(({ target }) => target !== 'images')
    expect(codes({ images: 'bypassed' }, unconnected)).toEqual(['BYPASS_IMPOSSIBLE images processed_images'])
    expect(codes({ images: 'bypassed', split: 'bypassed' }, unconnected)).toContain(
      'BYPASS_IMPOSSIBLE split train_dataset',
    )
  })

  it('is refused where what it passes on comes from itself', () => {
    const { issues } = validated(withModes(graph('a > b > c > b, c > d'), { b: 'bypassed', c: 'bypassed' }))
    expect(issues.map(({ code }) => code)).toEqual([])
    const cycle = validated(withModes(graph('b > c > b, c > d'), { b: 'bypassed', c: 'bypassed' }))
    expect(cycle.issues.map(({ code }) => code)).toContain('BYPASS_IMPOSSIBLE')
  })

  it('may be in a chain of 20,000', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `n${i}`)
    const row = graph(ids.join('>'))
    const workflow = withModes(row, Object.fromEntries(ids.slice(1, -1).map((id) => [id, 'bypassed'])))
    const started = performance.now()
    const { graph: reduced, issues } = validated(workflow)
    expect(issues).toEqual([])
    expect(reduced.incoming[reduced.numberOf.get('n19999') ?? -1]?.[0]?.connection.source).toBe('n0')
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

it('nothing that is drawn for people alone is part of a key', async () => {
  const bench = new Workbench()
  await bench.run(graph(DRAWING))
  const drawn = graph(DRAWING)
  drawn.groups = [{ id: 'g1', title: 'Sum', nodes: ['a', 'b', 'gone'], color: 'teal' }]
  drawn.notes = [{ id: 'n1', text: 'why', position: { x: 5, y: 5 }, color: 'red' }]
  for (const node of drawn.nodes) Object.assign(node, { color: 'blue', position: { x: 9, y: 9 } })
  const { nodes } = await bench.run(drawn)
  expect(new Set(Object.values(nodes).map(({ status }) => status))).toEqual(new Set(['cached']))
})

function node(workflow: Workflow, id: string) {
  const found = workflow.nodes.find((one) => one.id === id)
  if (!found) throw new Error(id)
  return found
}

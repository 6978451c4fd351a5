import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCatalog, MAX_REPEATS, NODES, readWorkflow, writeWorkflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { ALIGNMENTS, align, arrange, distribute, nudge } from './align'
import {
  addGroup,
  addNote,
  colorNodes,
  frameOf,
  removeAnnotation,
  setAnnotation,
  setMode,
} from './annotations'
import { copyText, readCopy } from './clipboard'
import { type Document, idsOf, nodeAfter } from './document'
import {
  addNode,
  configure,
  connect,
  describeDocument,
  type Edit,
  insertCopy,
  moveNodes,
  removeConnections,
  removeNodes,
  renameNode,
  replaceDocument,
} from './edits'
import { type History, historyOf, perform, redo, undo } from './history'
import { layout } from './layout'
import { catalogOf, checkCompatibility, portsOf } from './ports'

const catalog = catalogOf(describeCatalog(NODES))

function example(name: string): Document {
  const path = join(import.meta.dirname, '../../../../../examples/workflows', `${name}.json`)
  const read = readWorkflow(JSON.parse(readFileSync(path, 'utf8')))
  if (!read.ok) throw new Error('the example is not a workflow')
  return read.value
}

/** A document with content unknown to the editor: a node type, fields of nodes, connections and the file, and a duplicate id. */
function strange(): Document {
  const fusion = example('fusion')
  const [first] = fusion.nodes
  return {
    ...fusion,
    invented: { deep: [1, { here: null }] },
    nodes: [
      ...fusion.nodes,
      {
        id: 'odd',
        type: 'NobodyKnows',
        position: { x: 1.5, y: 2, z: 3 },
        config: { any: ['thing'] },
        color: 'red',
      },
      ...(first ? [{ ...first, config: { split: 'test' } }] : []),
    ],
    connections: [
      ...fusion.connections,
      {
        id: 'c-odd',
        source: 'odd',
        source_port: 'out',
        target: 'train',
        target_port: 'mystery',
        note: '<b>',
      },
    ],
  }
}

const SIZE = { width: 200, height: 100 }
const STRANGE = strange()
const OTHER = example('fusion')

/** Small and reproducible (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function anyEdit(document: Document, random: () => number): Edit {
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const some = <T>(items: readonly T[]) => items.filter(() => random() < 0.3)
  const id = pick(document.nodes)?.id ?? 'nothing'
  const other = pick(document.nodes)?.id ?? 'nothing'
  const point = { x: random() * 900, y: random() * 900 }
  const values = [undefined, null, 3, 'text', ['a'], { inner: 1 }]
  const chosen = idsOf(some(document.nodes))
  const edits: (() => Edit)[] = [
    () => align(document, chosen, pick(ALIGNMENTS) ?? 'left', () => SIZE),
    () => distribute(document, chosen, pick(['x', 'y'] as const) ?? 'x', () => SIZE),
    () => arrange(document, chosen, () => SIZE),
    () => nudge(document, chosen, { x: 24, y: -24 }),
    () => setMode(document, chosen, pick(['muted', 'bypassed', undefined] as const)),
    () => colorNodes(document, chosen, pick(['teal', undefined] as const)),
    () => addGroup(document, chosen, 'frame'),
    () => addNote(document, 'note', point),
    () => setAnnotation('notes', pick(document.notes ?? [])?.id ?? 'nothing', 'text', String(random())),
    () => removeAnnotation('groups', pick(document.groups ?? [])?.id ?? 'nothing'),
    () => addNode(document, pick([...catalog.keys(), 'Unheard']) ?? '', point).edit,
    () => removeNodes(document, idsOf(some(document.nodes))),
    () => removeConnections(idsOf(some(document.connections))),
    () => moveNodes(document, new Map([[id, point]])),
    () =>
      connect(
        document,
        { source: id, source_port: 'out', target: other, target_port: 'in' },
        some(document.connections),
      ),
    () => configure(id, pick([['seed'], ['slices', 'count'], ['a', 'b', 'c']]) ?? [], pick(values)),
    () => renameNode(document, id, pick(['renamed', other, '  ', '<script>']) ?? '').edit,
    () => describeDocument('name', String(random())),
    () => replaceDocument(document, pick([OTHER, STRANGE]) ?? document),
    () =>
      insertCopy(document, { nodes: some(document.nodes), connections: document.connections }, point).edit,
  ]
  return pick(edits)?.() ?? []
}

describe('edits', () => {
  it('leave the same bytes when they are undone, whatever was done, and bring them back when redone', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomOf(seed)
      const start = STRANGE
      const bytes = [writeWorkflow(start)]
      let history: History = historyOf(start)
      for (let count = 0; count < 25; count++) {
        const merge = random() < 0.3 ? 'same' : null
        const next = perform(history, anyEdit(history.document, random), { merge, now: count })
        if (next.done.length > history.done.length) bytes.push(writeWorkflow(next.document))
        else bytes[bytes.length - 1] = writeWorkflow(next.document)
        history = next
      }
      const last = bytes.length - 1
      for (let step = last; step > 0; step--) {
        expect(writeWorkflow(history.document), `seed ${seed}`).toBe(bytes[step])
        history = undo(history)
      }
      expect(writeWorkflow(history.document), `seed ${seed}`).toBe(bytes[0])
      for (let step = 1; step <= last; step++) history = redo(history)
      expect(writeWorkflow(history.document), `seed ${seed}`).toBe(bytes[last])
    }
  })

  it('keep nodes and fields that nobody here knows', () => {
    const before = strange()
    const { edit } = renameNode(before, 'train', 'fit')
    const after = perform(historyOf(before), edit).document
    expect(after.nodes.find(({ id }) => id === 'odd')).toBe(before.nodes.find(({ id }) => id === 'odd'))
    expect(after.invented).toEqual(before.invented)
    expect(after.connections.find(({ id }) => id === 'c-odd')).toMatchObject({ target: 'fit', note: '<b>' })
  })

  it('remove a node with the wires that lead to it and from it', () => {
    const { nodes, connections } = perform(historyOf(OTHER), removeNodes(OTHER, new Set(['model']))).document
    expect(nodes.map(({ id }) => id)).not.toContain('model')
    const wires = OTHER.connections.filter(({ source, target }) => source !== 'model' && target !== 'model')
    expect(new Set(OTHER.connections.map(({ target }) => target))).toContain('model')
    expect(connections).toEqual(wires)
  })

  it('become one step while one types, and another step after a pause', () => {
    const type = (history: History, value: string, now: number) =>
      perform(history, configure('train', ['note'], value), { merge: 'train.note', now })
    let history = type(historyOf(strange()), 'a', 0)
    history = type(history, 'ab', 500)
    expect(history.done).toHaveLength(1)
    history = type(history, 'abc', 60_000)
    expect(history.done).toHaveLength(2)
  })

  it('cannot be redone after another edit', () => {
    const first = perform(historyOf(OTHER), describeDocument('name', 'first'))
    const second = perform(undo(first), describeDocument('name', 'second'))
    expect(redo(second)).toEqual(second)
  })
})

describe('a copy', () => {
  it('is text that holds nodes and the wires between them, pasted under new ids', () => {
    const document = strange()
    const text = copyText(document, new Set(['odd', 'train', 'model']))
    const copy = readCopy(text)
    if (!copy) throw new Error('nothing was read')
    expect(copy.connections).toHaveLength(2)
    const { edit, ids } = insertCopy(document, copy, { x: 10, y: 10 })
    expect(ids).toEqual(['model-2', 'train-2', 'odd-2'])
    const { document: pasted } = perform(historyOf(document), edit)
    expect(pasted.nodes.at(-1)).toMatchObject({ id: 'odd-2', type: 'NobodyKnows', color: 'red' })
    const wires = pasted.connections.slice(document.connections.length)
    expect(wires.map(({ source, target }) => [source, target])).toEqual([
      ['model-2', 'train-2'],
      ['odd-2', 'train-2'],
    ])
  })

  it.each(['', 'words', '[]', '{"nodes":[]}', '{"nodes":[{"id":1}]}', '{"nodes":[null]}'])(
    'is not read from %j',
    (text) => expect(readCopy(text)).toBeNull(),
  )
})

describe('ports', () => {
  const document = example('fusion')
  const wire = (source: string, source_port: string, target: string, target_port: string) =>
    checkCompatibility(document, catalog, { source, source_port, target, target_port })

  it('fit as the engine joins them: every wire of the templates', () => {
    for (const name of ['fusion', 'report', 'resume', 'external-test', 'multi-view']) {
      const template = example(name)
      for (const connection of template.connections) {
        const others = {
          ...template,
          connections: template.connections.filter((other) => other !== connection),
        }
        expect(checkCompatibility(others, catalog, connection), `${name} ${connection.id}`).toMatchObject({
          fits: true,
          replaced: [],
        })
      }
    }
  })

  it('refuse another type, another kind and a loop, each with its reason', () => {
    expect(wire('train', 'trained_model', 'images', 'images')).toMatchObject({ reason: 'loop' })
    expect(wire('training-data', 'dataset', 'model', 'backbone_config')).toMatchObject({ reason: 'type' })
    expect(wire('fusion', 'fusion_config', 'model', 'backbone_config')).toMatchObject({ reason: 'kind' })
    expect(wire('training-data', 'nothing', 'images', 'images')).toMatchObject({ reason: 'unknown' })
  })

  it('say what is converted, and what has to leave', () => {
    expect(wire('test-data', 'dataset', 'images', 'images')).toMatchObject({
      conversion: expect.stringContaining('images of the dataset'),
      replaced: [{ id: 'c01' }],
    })
    // Images and table are joined: the table stays when other images are connected.
    expect(wire('test-data', 'dataset', 'train', 'train_dataset')).toMatchObject({
      replaced: [{ id: 'c03' }, { id: 'c04' }],
    })
  })

  it('count up where one repeats, and those of an unknown node are the ones that are connected', () => {
    const merge = { id: 'm', type: 'MergeDatasets', position: { x: 0, y: 0 }, config: {} }
    const inputs = (connected: Document['connections']) =>
      portsOf({ ...document, nodes: [merge], connections: connected }, merge, catalog).inputs
    const names = (connected: Document['connections']) => inputs(connected).map(({ name }) => name)
    expect(names([])).toEqual(['dataset1', 'dataset2', 'dataset3'])
    const third = { id: 'x', source: 'a', source_port: 'b', target: 'm', target_port: 'dataset3' }
    expect(names([third])).toEqual(['dataset1', 'dataset2', 'dataset3', 'dataset4'])
    const last = { ...third, target_port: `dataset${MAX_REPEATS}` }
    expect(inputs([last]).at(-1)).toMatchObject({ name: last.target_port, type: 'dataset' })
    const odd = strange()
    const node = odd.nodes.find(({ id }) => id === 'odd')
    expect(node && portsOf(odd, node, catalog).outputs).toEqual([
      { name: 'out', title: 'out', type: null, optional: true },
    ])
  })
})

describe('positions', () => {
  const nodeAt = (id: string, x: number, y: number) => ({ id, type: 'T', position: { x, y }, config: {} })
  const nodes = [nodeAt('a', 0, 0), nodeAt('b', 50, 300), nodeAt('c', 400, 90), nodeAt('far', 9000, 9000)]
  const document: Document = { ...OTHER, nodes, connections: [] }
  const three = new Set(['a', 'b', 'c'])
  const sizeOf = (id: string) => (id === 'b' ? { width: 100, height: 100 } : SIZE)
  const placed = (edit: Edit) =>
    perform(historyOf(document), edit).document.nodes.map(({ position: { x, y } }) => [x, y])

  it('align at edges and middles within the space of the selection', () => {
    expect(placed(align(document, three, 'left', sizeOf)).map(([x]) => x)).toEqual([0, 0, 0, 9000])
    expect(placed(align(document, three, 'right', sizeOf)).map(([x]) => x)).toEqual([400, 500, 400, 9000])
    expect(placed(align(document, three, 'center', sizeOf)).map(([x]) => x)).toEqual([200, 250, 200, 9000])
    expect(placed(align(document, three, 'bottom', sizeOf)).map(([, y]) => y)).toEqual([300, 300, 300, 9000])
    expect(align(document, new Set(['a']), 'left', sizeOf)).toEqual([])
  })

  it('are distributed with equal gaps, the outermost staying', () => {
    // 200 + 100 + 200 of 600 are occupied: two gaps of 50.
    expect(placed(distribute(document, three, 'x', sizeOf)).map(([x]) => x)).toEqual([0, 250, 400, 9000])
    expect(distribute(document, new Set(['a', 'b']), 'y', sizeOf)).toEqual([])
  })

  it('are arranged by the layout where the selection stands, the others staying', () => {
    const wired: Document = {
      ...document,
      connections: [{ id: 'w', source: 'c', source_port: 'o', target: 'b', target_port: 'i' }],
    }
    const edit = arrange(wired, new Set(['b', 'c']), sizeOf)
    const after = perform(historyOf(wired), edit).document.nodes
    expect(after.map(({ id, position }) => [id, position.x])).toEqual([
      ['a', 0],
      ['b', 340],
      ['c', 50],
      ['far', 9000],
    ])
  })

  it('move by arrow keys as one step', () => {
    const step = { x: 24, y: 0 }
    let history = historyOf(document)
    for (let press = 0; press < 3; press++)
      history = perform(history, nudge(history.document, three, step), { merge: 'move', now: press * 100 })
    expect(history.document.nodes.map(({ position }) => position.x)).toEqual([72, 122, 472, 9000])
    expect(undo(history).document).toEqual(document)
  })
})

describe('groups', () => {
  const grouped = perform(historyOf(OTHER), addGroup(OTHER, new Set(['train', 'model']), 'Training')).document

  it('stand around the nodes that are there, and follow one that is renamed', () => {
    const group = (document: Document) => document.groups?.[0] ?? { id: '', title: '', nodes: [] }
    const frame = (document: Document) => frameOf(document, group(document), () => SIZE)
    const [train, model] = ['train', 'model'].map(
      (id) => OTHER.nodes.find((node) => node.id === id)?.position,
    )
    if (!train || !model) throw new Error('the example has other nodes')
    expect(frame(grouped)).toMatchObject({
      x: Math.min(train.x, model.x) - 18,
      width: Math.abs(train.x - model.x) + SIZE.width + 36,
    })
    const renamed = perform(historyOf(grouped), renameNode(grouped, 'train', 'fit').edit).document
    expect(group(renamed).nodes).toContain('fit')
    expect(frame(renamed)).toEqual(frame(grouped))
    const alone = removeNodes(grouped, new Set(['train', 'model']))
    expect(frame(perform(historyOf(grouped), alone).document)).toBeNull()
  })
})

describe('the layout', () => {
  const size = SIZE

  it('puts every node right of what feeds it, and none on another', () => {
    const document = example('report')
    const positions = layout(document, () => size)
    for (const { source, target } of document.connections)
      expect(positions.get(source)?.x ?? 0).toBeLessThan(positions.get(target)?.x ?? 0)
    const corners = [...positions.values()]
    for (const a of corners)
      for (const b of corners)
        if (a !== b)
          expect(Math.abs(a.x - b.x) >= size.width || Math.abs(a.y - b.y) >= size.height).toBe(true)
  })

  it('ends on a cycle and on a chain of any length', () => {
    const nodes = Array.from({ length: 20_000 }, (_, i) => ({
      id: `n${i}`,
      type: 'T',
      position: { x: 0, y: 0 },
      config: {},
    }))
    const connections = nodes.map(({ id }, i) => ({
      id: `c${i}`,
      source: id,
      source_port: 'o',
      target: `n${(i + 1) % nodes.length}`,
      target_port: 'i',
    }))
    const loop = { ...example('fusion'), nodes, connections }
    expect(layout(loop, () => size).size).toBe(20_000)
    const chain = { ...loop, connections: connections.slice(0, -1) }
    expect(layout(chain, () => size).get('n19999')?.x).toBeGreaterThan(1_000_000)
  })
})

describe('the node that takes the focus of those that are deleted', () => {
  const { nodes } = OTHER
  const after = (...indexes: number[]) =>
    nodeAfter(OTHER, new Set(indexes.map((index) => nodes.at(index)?.id ?? '')))

  it('is the next one, at the end the one before them, and none where nothing is left or deleted', () => {
    expect(after(0)).toBe(nodes[1]?.id)
    expect(after(0, 2)).toBe(nodes[3]?.id)
    expect(after(-1, -2)).toBe(nodes.at(-3)?.id)
    expect(nodeAfter(OTHER, idsOf(nodes))).toBeNull()
    expect(after()).toBeNull()
  })
})

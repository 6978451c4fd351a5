import type { IconName } from '../components/icon'
import type { editor as text } from '../text/editor'
import { sizesOf } from './canvas/node-shape'
import { restoreFocus } from './canvas/restore-focus'
import { ALIGNMENTS, align, arrange, distribute, nudge } from './core/align'
import { copyText, readCopy } from './core/clipboard'
import { arriving, idsOf, nodeAfter, nodeOf } from './core/document'
import { type Edit, insertCopy, removeConnections, removeNodes } from './core/edits'
import { addGroup, addNote, NOTE_SIZE, setMode } from './core/marks'
import { portsOf } from './core/ports'
import type { Editor } from './state/context'

type Words = keyof (typeof text)['en'] & `do.${string}`

/** An action of the editor: by button, by shortcut, or by search. */
export interface Command {
  readonly id: Words
  readonly icon?: IconName
  /** Shortcuts in the notation of `keysOf`; the first one is shown. */
  readonly keys: readonly string[]
  readonly enabled: boolean
  readonly run: () => void
}

/** Commands that change the document and need nothing else. */
export function editCommands(editor: Editor): readonly Command[] {
  const { editing } = editor
  const { nodes, wires, history } = editing.state()
  const some = nodes.size > 0
  const open = openPort(editor)
  return [
    command('do.undo', ['Mod+z'], history.done.length > 0, () => editing.undo()),
    command('do.redo', ['Mod+Shift+z', 'Mod+y'], history.undone.length > 0, () => editing.redo()),
    command('do.duplicate', ['Mod+d'], some, () => paste(editor, copyText(editing.document, nodes))),
    command('do.delete', ['Delete', 'Backspace'], some || wires.size > 0, () => removeSelected(editor)),
    command('do.selectAll', ['Mod+a'], editing.document.nodes.length > 0, () =>
      editing.select(idsOf(editing.document.nodes)),
    ),
    command('do.connect', ['c'], open !== null, () => open && editor.askConnect({ from: open })),
    ...placeCommands(editor),
    ...markCommands(editor),
  ]
}

const NOTE_GAP = 48
/** Grid size of the canvas, so that moved nodes stay aligned with others. */
const STEP = 24
const MOVES = [
  ['do.moveLeft', 'ArrowLeft', { x: -STEP, y: 0 }],
  ['do.moveRight', 'ArrowRight', { x: STEP, y: 0 }],
  ['do.moveUp', 'ArrowUp', { x: 0, y: -STEP }],
  ['do.moveDown', 'ArrowDown', { x: 0, y: STEP }],
] as const

/** Commands that position nodes: everything that a mouse can do, and tasks that are tedious with one. */
function placeCommands({ editing, catalog, showAll }: Editor): readonly Command[] {
  const { document } = editing
  const { nodes } = editing.state()
  const sizeOf = sizesOf(document, catalog)
  const several = (count: number) => nodes.size >= count
  const perform = (edit: () => Edit) => () => editing.perform(edit())
  // With fewer than two selected nodes, all nodes are arranged.
  const arranged = several(2) ? nodes : idsOf(document.nodes)
  const arrangeAndShow = () => {
    editing.perform(arrange(document, arranged, sizeOf))
    // A subset stays in view, because it is arranged in place.
    if (!several(2)) showAll()
  }
  return [
    command('do.layout', ['l'], document.nodes.length > 1, arrangeAndShow),
    ...ALIGNMENTS.map((to) =>
      command(
        `do.align.${to}`,
        [],
        several(2),
        perform(() => align(document, nodes, to, sizeOf)),
      ),
    ),
    ...(['x', 'y'] as const).map((axis) =>
      command(
        `do.distribute.${axis}`,
        [],
        several(3),
        perform(() => distribute(document, nodes, axis, sizeOf)),
      ),
    ),
    ...MOVES.map(([id, key, by]) =>
      command(id, [`Alt+${key}`], several(1), () =>
        editing.perform(nudge(document, nodes, by), `move ${[...nodes].join(' ')}`),
      ),
    ),
  ]
}

/** Commands that enable or disable nodes, and that add groups, notes and colors. */
function markCommands({ editing }: Editor): readonly Command[] {
  const { document } = editing
  const { nodes } = editing.state()
  const chosen = document.nodes.filter(({ id }) => nodes.has(id))
  const toggle = (mode: 'muted' | 'bypassed') => () => {
    const off = chosen.every((node) => node.mode === mode)
    editing.perform(setMode(document, nodes, off ? undefined : mode))
  }
  const note = () => {
    const beside = chosen[0]?.position ?? document.nodes[0]?.position ?? { x: 0, y: 0 }
    editing.perform(addNote(document, '', { x: beside.x, y: beside.y - NOTE_SIZE.height - NOTE_GAP }))
    // Its text is edited in the workflow panel, which is visible while nothing is selected.
    editing.select([])
  }
  return [
    command('do.mute', ['m'], chosen.length > 0, toggle('muted')),
    command('do.bypass', ['b'], chosen.length > 0, toggle('bypassed')),
    command('do.group', ['Mod+g'], chosen.length > 0, () => {
      editing.perform(addGroup(document, nodes, ''))
      editing.select([])
    }),
    command('do.note', ['n'], true, note),
  ]
}

/** The service stores every edit as a draft; a saved revision is a version to which the user can return. */
export function savingCommands({ editing }: Editor): readonly Command[] {
  const { save } = editing.state()
  const unsaved = save !== 'saved' && save !== 'stale'
  return [
    command('do.save', ['Mod+s'], unsaved, () => void editing.save().catch(() => undefined)),
    command('do.discard', [], unsaved, () => editing.discard()),
  ]
}

export function command(id: Words, keys: readonly string[], enabled: boolean, run: () => void): Command {
  return { id, keys, enabled, run }
}

/** Pastes the nodes of a text next to their original position. Returns their number. */
export function paste({ editing }: Editor, written: string): number {
  const copy = readCopy(written)
  if (!copy) return 0
  const { edit, ids } = insertCopy(editing.document, copy, { x: 40, y: 40 })
  editing.perform(edit)
  editing.select(ids)
  return ids.length
}

export function removeSelected({ editing }: Editor): void {
  const { nodes, wires } = editing.state()
  const { document } = editing
  const without = removeNodes(document, nodes)
  const gone = new Set(
    document.connections
      .filter(({ id, source, target }) => wires.has(id) && !nodes.has(source) && !nodes.has(target))
      .map(({ id }) => id),
  )
  const next = nodeAfter(document, nodes)
  editing.perform([...without, ...removeConnections(gone)])
  void restoreFocus(next)
}

/** The first unconnected input of the selected node, required ones first; otherwise its first output. */
function openPort({ editing, catalog }: Editor) {
  const { nodes } = editing.state()
  const [id] = nodes
  const node = nodes.size === 1 && id !== undefined ? nodeOf(editing.document, id) : undefined
  if (!node) return null
  const { inputs, outputs } = portsOf(editing.document, node, catalog)
  const free = inputs.filter(({ name }) => arriving(editing.document, node.id, name).length === 0)
  const input = free.find(({ optional }) => !optional) ?? (outputs.length === 0 ? free[0] : undefined)
  if (input) return { node: node.id, port: input.name, side: 'input' } as const
  return outputs[0] ? ({ node: node.id, port: outputs[0].name, side: 'output' } as const) : null
}

import type { IconName } from '../components/icon'
import type { editor as text } from '../text/editor'
import { restoreFocus } from './canvas/focus'
import { sizesOf } from './canvas/node-geometry'
import { ALIGNMENTS, align, arrange, distribute, nudge } from './core/align'
import { addGroup, addNote, NOTE_SIZE, setMode } from './core/annotations'
import { copyText, readCopy } from './core/clipboard'
import { idsOf, incoming, nodeAfter, nodeOf } from './core/document'
import { type Edit, insertCopy, removeConnections, removeNodes } from './core/edits'
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
  const { session } = editor
  const { nodes, wires, history } = session.state()
  const some = nodes.size > 0
  const open = firstFreePort(editor)
  return [
    command('do.undo', ['Mod+z'], history.done.length > 0, () => session.undo()),
    command('do.redo', ['Mod+Shift+z', 'Mod+y'], history.undone.length > 0, () => session.redo()),
    command('do.duplicate', ['Mod+d'], some, () => paste(editor, copyText(session.document, nodes))),
    command('do.delete', ['Delete', 'Backspace'], some || wires.size > 0, () => removeSelected(editor)),
    command('do.selectAll', ['Mod+a'], session.document.nodes.length > 0, () =>
      session.select(idsOf(session.document.nodes)),
    ),
    command('do.connect', ['c'], open !== null, () => open && editor.openConnectDialog({ from: open })),
    ...layoutCommands(editor),
    ...annotationCommands(editor),
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
function layoutCommands({ session, catalog, showAll }: Editor): readonly Command[] {
  const { document } = session
  const { nodes } = session.state()
  const sizeOf = sizesOf(document, catalog)
  const several = (count: number) => nodes.size >= count
  const perform = (edit: () => Edit) => () => session.perform(edit())
  // With fewer than two selected nodes, all nodes are arranged.
  const arranged = several(2) ? nodes : idsOf(document.nodes)
  const arrangeAndShow = () => {
    session.perform(arrange(document, arranged, sizeOf))
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
        session.perform(nudge(document, nodes, by), `move ${[...nodes].join(' ')}`),
      ),
    ),
  ]
}

/** Commands that enable or disable nodes, and that add groups, notes and colors. */
function annotationCommands({ session }: Editor): readonly Command[] {
  const { document } = session
  const { nodes } = session.state()
  const chosen = document.nodes.filter(({ id }) => nodes.has(id))
  const toggle = (mode: 'muted' | 'bypassed') => () => {
    const off = chosen.every((node) => node.mode === mode)
    session.perform(setMode(document, nodes, off ? undefined : mode))
  }
  const note = () => {
    const anchor = chosen[0]?.position ?? document.nodes[0]?.position ?? { x: 0, y: 0 }
    session.perform(addNote(document, '', { x: anchor.x, y: anchor.y - NOTE_SIZE.height - NOTE_GAP }))
    // Its text is edited in the workflow panel, which is visible while nothing is selected.
    session.select([])
  }
  return [
    command('do.mute', ['m'], chosen.length > 0, toggle('muted')),
    command('do.bypass', ['b'], chosen.length > 0, toggle('bypassed')),
    command('do.group', ['Mod+g'], chosen.length > 0, () => {
      session.perform(addGroup(document, nodes, ''))
      session.select([])
    }),
    command('do.note', ['n'], true, note),
  ]
}

/** The service stores every edit as a draft; a saved revision is a version to which the user can return. */
export function savingCommands({ session }: Editor): readonly Command[] {
  const { save } = session.state()
  const unsaved = save !== 'saved' && save !== 'stale'
  return [
    command('do.save', ['Mod+s'], unsaved, () => void session.save().catch(() => undefined)),
    command('do.discard', [], unsaved, () => session.discard()),
  ]
}

export function command(id: Words, keys: readonly string[], enabled: boolean, run: () => void): Command {
  return { id, keys, enabled, run }
}

/** Pastes the nodes of a text next to their original position. Returns their number. */
export function paste({ session }: Editor, clipboardText: string): number {
  const copy = readCopy(clipboardText)
  if (!copy) return 0
  const { edit, ids } = insertCopy(session.document, copy, { x: 40, y: 40 })
  session.perform(edit)
  session.select(ids)
  return ids.length
}

export function removeSelected({ session }: Editor): void {
  const { nodes, wires } = session.state()
  const { document } = session
  const without = removeNodes(document, nodes)
  const detached = new Set(
    document.connections
      .filter(({ id, source, target }) => wires.has(id) && !nodes.has(source) && !nodes.has(target))
      .map(({ id }) => id),
  )
  const next = nodeAfter(document, nodes)
  session.perform([...without, ...removeConnections(detached)])
  void restoreFocus(next)
}

/** The first unconnected input of the selected node, required ones first; otherwise its first output. */
function firstFreePort({ session, catalog }: Editor) {
  const { nodes } = session.state()
  const [id] = nodes
  const node = nodes.size === 1 && id !== undefined ? nodeOf(session.document, id) : undefined
  if (!node) return null
  const { inputs, outputs } = portsOf(session.document, node, catalog)
  const free = inputs.filter(({ name }) => incoming(session.document, node.id, name).length === 0)
  const input = free.find(({ optional }) => !optional) ?? (outputs.length === 0 ? free[0] : undefined)
  if (input) return { node: node.id, port: input.name, side: 'input' } as const
  return outputs[0] ? ({ node: node.id, port: outputs[0].name, side: 'output' } as const) : null
}

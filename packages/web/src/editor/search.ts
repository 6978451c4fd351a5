/** Editor state stored in the address. */
export const SIDES = ['add', 'outline'] as const
export const VIEWS = ['settings', 'result', 'problems', 'plan', 'log'] as const

export interface EditorSearch {
  readonly side?: (typeof SIDES)[number] | undefined
  readonly view?: (typeof VIEWS)[number] | undefined
  /** Selected node. */
  readonly node?: string | undefined
  /** Its selected output. */
  readonly port?: string | undefined
}

export function editorSearch({ side, view, node, port }: Record<string, unknown>): EditorSearch {
  const shownSide = SIDES.find((known) => known === side)
  const shownView = VIEWS.find((known) => known === view)
  return {
    ...(shownSide ? { side: shownSide } : {}),
    ...(shownView ? { view: shownView } : {}),
    ...(typeof node === 'string' || typeof node === 'number' ? { node: String(node) } : {}),
    ...(typeof port === 'string' ? { port } : {}),
  }
}

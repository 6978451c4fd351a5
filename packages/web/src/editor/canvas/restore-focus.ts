/** About one second: removed nodes leave the canvas some frames later. */
const MOST_FRAMES = 60

/** Moves the focus to a node or to the canvas after the focused element was removed. A focus that has moved elsewhere is not changed. */
export async function restoreFocus(node: string | null): Promise<void> {
  const holder = document.activeElement
  for (let frame = 0; frame < MOST_FRAMES; frame++) {
    await new Promise(requestAnimationFrame)
    const active = document.activeElement
    if (active !== null && active !== document.body) {
      if (active !== holder) return
      continue
    }
    const canvas = document.querySelector<HTMLElement>('[data-part="canvas"]')
    const card =
      node === null
        ? null
        : canvas?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(node)}"]`)
    const heir = card ?? canvas
    heir?.focus({ preventScroll: true })
    return
  }
}

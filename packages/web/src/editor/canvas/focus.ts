/** About one second: a card that scrolls into view is rendered late in the animation, and removed nodes leave the canvas some frames later. */
const MAX_FRAMES = 60

/** Focuses a node once its card is rendered and no dialog is open. */
export async function focusCard(id: string): Promise<void> {
  const selector = `.react-flow__node[data-id="${CSS.escape(id)}"]`
  for (let frame = 0; frame < MAX_FRAMES; frame++) {
    await new Promise(requestAnimationFrame)
    if (document.querySelector('[role="dialog"]')) continue
    const card = document.querySelector<HTMLElement>(selector)
    card?.focus({ preventScroll: true })
    if (card && card === document.activeElement) return
  }
}

/** Moves the focus to a node or to the canvas after the focused element was removed. A focus that has moved elsewhere is not changed. */
export async function restoreFocus(node: string | null): Promise<void> {
  const removed = document.activeElement
  for (let frame = 0; frame < MAX_FRAMES; frame++) {
    await new Promise(requestAnimationFrame)
    const active = document.activeElement
    if (active !== null && active !== document.body) {
      if (active !== removed) return
      continue
    }
    const canvas = document.querySelector<HTMLElement>('[data-part="canvas"]')
    const card =
      node === null
        ? null
        : canvas?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(node)}"]`)
    const target = card ?? canvas
    target?.focus({ preventScroll: true })
    return
  }
}

/** About a second: a card that comes into view by a motion is drawn late in it. */
const MOST_FRAMES = 60

/** Give the keyboard to a node of the drawing, once it is drawn and no dialog keeps the focus to itself. */
export async function focusCard(id: string): Promise<void> {
  const drawn = `.react-flow__node[data-id="${CSS.escape(id)}"]`
  for (let frame = 0; frame < MOST_FRAMES; frame++) {
    await new Promise(requestAnimationFrame)
    if (document.querySelector('[role="dialog"]')) continue
    const card = document.querySelector<HTMLElement>(drawn)
    card?.focus({ preventScroll: true })
    if (card && card === document.activeElement) return
  }
}

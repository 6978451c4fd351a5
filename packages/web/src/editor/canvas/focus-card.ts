/** About one second: a card that scrolls into view is rendered late in the animation. */
const MOST_FRAMES = 60

/** Focuses a node once its card is rendered and no dialog is open. */
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

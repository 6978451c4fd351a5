import type { Page } from 'playwright-core'

/** Functions that run in the page: events like those of a user, one per frame, and the time between frames in milliseconds. */

/** A canvas that is too slow for the number of frames has shown its speed within this time. */
const MOST_MILLISECONDS = 6_000

/** Pans the canvas. */
export function framesWhilePanning(page: Page, frames: number): Promise<number[]> {
  return framesWhileDragging(page, '.react-flow__pane', frames, '.react-flow__viewport')
}

/** Presses on an element and moves in circles. @param moved the element that moves with it; by default itself */
export function framesWhileDragging(
  page: Page,
  selector: string,
  frames: number,
  moved = selector,
): Promise<number[]> {
  return page.evaluate(
    async ([selector, frames, moved, most]) => {
      const element = document.querySelector(selector)
      const follower = document.querySelector<HTMLElement>(moved)
      if (!element || !follower) throw new Error(`there is no ${selector}`)
      const box = element.getBoundingClientRect()
      const [x, y] = [box.x + Math.min(box.width, 900) / 2, box.y + Math.min(box.height, 700) / 2]
      const tell = (target: EventTarget, type: string, dx: number, dy: number) =>
        target.dispatchEvent(
          new MouseEvent(type, {
            bubbles: true,
            cancelable: true,
            view: window,
            button: 0,
            buttons: type === 'mouseup' ? 0 : 1,
            clientX: x + dx,
            clientY: y + dy,
          }),
        )
      const places = new Set<string>()
      tell(element, 'mousedown', 0, 0)
      const times: number[] = []
      const began = performance.now()
      let last = await new Promise(requestAnimationFrame)
      for (let step = 0; step <= frames && performance.now() - began < most; step++) {
        // Two turns, ending at the start.
        const turn = (4 * Math.PI * step) / frames
        tell(window, 'mousemove', 160 * Math.sin(turn), 120 * (1 - Math.cos(turn)))
        const now = await new Promise(requestAnimationFrame)
        if (step > 0) times.push(now - last)
        last = now
        places.add(follower.style.transform)
      }
      tell(window, 'mouseup', 0, 0)
      if (places.size < 3) throw new Error(`${moved} was not moved`)
      return times
    },
    [selector, frames, moved, MOST_MILLISECONDS] as const,
  )
}

/** Turns the wheel over the middle of the canvas until that zoom is reached. */
export async function zoomTo(page: Page, zoom: number): Promise<void> {
  const reached = await page.evaluate(async (zoom) => {
    const pane = document.querySelector('.react-flow__pane')
    const viewport = document.querySelector<HTMLElement>('.react-flow__viewport')
    if (!pane || !viewport) throw new Error('there is no drawing')
    const now = () => new DOMMatrix(getComputedStyle(viewport).transform).a
    const { x, y, width, height } = pane.getBoundingClientRect()
    for (let turn = 0; turn < 20 && Math.abs(Math.log2(now() / zoom)) > 0.001; turn++) {
      const deltaY = Math.max(-500, Math.min(500, -Math.log2(zoom / now()) / 0.002))
      pane.dispatchEvent(
        new WheelEvent('wheel', {
          bubbles: true,
          cancelable: true,
          view: window,
          deltaY,
          clientX: x + width / 2,
          clientY: y + height / 2,
        }),
      )
      await new Promise(requestAnimationFrame)
    }
    await new Promise((done) => setTimeout(done, 300))
    return now()
  }, zoom)
  if (Math.abs(reached / zoom - 1) > 0.02) throw new Error(`zoom ${zoom} was not reached but ${reached}`)
}

/** The node in the middle of the view: it can be moved without leaving the view. */
export function middleNode(page: Page): Promise<string> {
  return page.evaluate(() => {
    const middleOf = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return [x + width / 2, y + height / 2] as const
    }
    const pane = document.querySelector('.react-flow__pane')
    if (!pane) throw new Error('there is no drawing')
    const [x, y] = middleOf(pane)
    const away = (node: Element) => {
      const [left, top] = middleOf(node)
      return Math.hypot(left - x, top - y)
    }
    const [nearest] = [...document.querySelectorAll('.react-flow__node')].sort((a, b) => away(a) - away(b))
    const id = nearest?.getAttribute('data-id')
    if (!id) throw new Error('no node is in view')
    return `.react-flow__node[data-id="${id}"]`
  })
}

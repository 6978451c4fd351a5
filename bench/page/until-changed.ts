import type { Page } from 'playwright-core'

/** Longer than any awaited change takes. */
const MOST_MILLISECONDS = 20_000

/** Milliseconds from a user action (click, key, field change) to the frame in which the first element has another text or position. */
export async function untilChanged(page: Page, selector: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate(
    ([selector, most]) => {
      const first = () => {
        const element = document.querySelector<HTMLElement>(selector)
        return element && element.textContent + element.style.transform
      }
      const before = first()
      let began = 0
      for (const type of ['click', 'input', 'keydown'])
        document.addEventListener(
          type,
          (event) => {
            began = event.timeStamp
          },
          { capture: true },
        )
      const end = performance.now() + most
      const change = new Promise<number | null>((done) => {
        const look = (now: number) => {
          if (began > 0 && first() !== before) done(now - began)
          else if (now > end) done(null)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      })
      Object.assign(globalThis, { change })
    },
    [selector, MOST_MILLISECONDS] as const,
  )
  await act()
  const change = await page.evaluate(
    () => (globalThis as unknown as { change: Promise<number | null> }).change,
  )
  if (change === null) throw new Error(`nothing has changed in ${selector}`)
  return change
}

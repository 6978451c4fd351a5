import type { Locator, Page } from 'playwright-core'

/** User actions on a page, independent of the input device. */
export interface Hands {
  /** Presses a button, follows a link, selects an option. */
  activate(target: Locator): Promise<void>
  /** Replaces the content of a field. */
  write(field: Locator, text: string): Promise<void>
  /** Selects one of the options of a field or a button. */
  choose(from: Locator, option: string): Promise<void>
}

/** Mouse input; text is still typed with the keyboard. */
export function mouse(page: Page): Hands {
  return {
    activate: (target) => target.click(),
    async write(field, text) {
      await field.click()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
      await closeOffers(page, field)
    },
    async choose(from, option) {
      await from.click()
      await page.getByRole('option', { name: option, exact: true }).click()
    },
  }
}

/** Longer texts, such as paths, are pasted. */
const LONGEST_TYPED = 24
/** More steps than any page has focusable elements. */
const MOST_STEPS = 300

/** Keyboard input only: everything is reached with Tab from the focus. Any mouse event fails the test. */
export function keyboard(page: Page): Hands {
  const { keyboard } = page
  const hands: Hands = {
    async activate(target) {
      await reach(page, target)
      await keyboard.press('Enter')
    },
    async write(field, text) {
      await reach(page, field)
      await keyboard.press('Control+a')
      await (text.length > LONGEST_TYPED ? keyboard.insertText(text) : keyboard.type(text))
      await closeOffers(page, field)
    },
    async choose(from, option) {
      await hands.activate(from)
      const target = page.getByRole('option', { name: option, exact: true })
      await target.waitFor()
      await keyboard.press('Home')
      await reach(page, target, 'ArrowDown')
      await keyboard.press('Enter')
    },
  }
  return hands
}

/** A field with suggestions hides the rest of the page until its list is closed. */
async function closeOffers(page: Page, field: Locator): Promise<void> {
  if ((await field.getAttribute('aria-expanded')) === 'true') await page.keyboard.press('Escape')
}

/** Presses Tab until the element has the focus, or an arrow key within a list. In the YAML editor, Tab leaves after Escape. */
export async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  // Located once: locating by role and name reads the whole page, which would take minutes if repeated for each step.
  let element = await target.elementHandle()
  for (let step = 0; step < MOST_STEPS; step++) {
    const focus = await element?.evaluate((wanted) => {
      const { activeElement } = document
      return {
        isGone: !wanted.isConnected,
        isThere: wanted.contains(activeElement),
        inEditor: Boolean(activeElement?.shadowRoot),
      }
    })
    if (focus?.isThere) return
    if (focus?.isGone) element = await target.elementHandle()
    if (focus?.inEditor) await page.keyboard.press('Escape')
    await page.keyboard.press(key)
  }
  throw new Error(`the keyboard does not reach ${target}`)
}

/** From now on, a mouse event is a console error, which fails every test. */
export async function forbidMouse(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['mousedown', 'mousemove', 'pointerdown', 'wheel'])
      addEventListener(name, () => console.error(`a mouse was used: ${name}`), { capture: true })
  })
  await page.reload()
}

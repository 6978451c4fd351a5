import type { Locator, Page } from 'playwright-core'

/** What a person does on a page, whatever they do it with. */
export interface Hands {
  /** Press a button, follow a link, take an option. */
  activate(target: Locator): Promise<void>
  /** Replace what a field holds. */
  write(field: Locator, text: string): Promise<void>
  /** Take one of the options that a field or a button offers. */
  choose(from: Locator, option: string): Promise<void>
}

/** A mouse; letters come from the keyboard, as they do for everyone. */
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
/** More steps than any page has places to stop at. */
const MOST_STEPS = 300

/** The keyboard alone: everything is reached by Tab, from where the focus is. A page that is told of a mouse fails the test. */
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

/** A field that offers what fits hides the rest of the page until its list is closed. */
async function closeOffers(page: Page, field: Locator): Promise<void> {
  if ((await field.getAttribute('aria-expanded')) === 'true') await page.keyboard.press('Escape')
}

/** Press Tab until the focus is there, or an arrow within a list. In the editor of YAML, Tab leaves after Escape. */
export async function reach(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  // Found once: to find it by its role and name reads the whole page, which a step at a time would take minutes.
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

/** From now on an event of a mouse is an error in the console, which fails every test. */
export async function forbidMouse(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['mousedown', 'mousemove', 'pointerdown', 'wheel'])
      addEventListener(name, () => console.error(`a mouse was used: ${name}`), { capture: true })
  })
  await page.reload()
}

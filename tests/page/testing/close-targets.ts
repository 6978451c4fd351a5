/**
 * Runs in the page. Reports whether a target may be too small (WCAG 2.5.8): one below 24 px with another one within its circle of 24 px, or
 * one of which another covers so much that less than 24 px remain. The rule of axe, which decides that, reads the position of every element
 * of the page, most of the time of a check. It is needed only then.
 */
export async function hasCloseTargets(): Promise<boolean> {
  // Pending changes are rendered first.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  const size = 24
  const native = ['a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[contenteditable]']
  const roles = [
    'button',
    'checkbox',
    'combobox',
    'gridcell',
    'link',
    'listbox',
    'menuitem',
    'menuitemcheckbox',
  ]
  roles.push(
    'menuitemradio',
    'option',
    'radio',
    'searchbox',
    'slider',
    'spinbutton',
    'switch',
    'tab',
    'textbox',
  )
  roles.push('treeitem', 'row', 'grid')
  const selector = [...native, ...roles.map((role) => `[role="${role}"]`)].join()
  const targets = [...document.querySelectorAll<HTMLElement>(selector)]
    .filter(
      (element) => element.tabIndex >= 0 && !element.matches(':disabled') && !element.closest('[inert]'),
    )
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.height > 0)
  const isSmall = (width: number, height: number) => width < size || height < size
  return targets.some(({ element, box }) => {
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    let overlaps = 0
    for (const { element: other, box: near } of targets) {
      if (element === other || element.contains(other) || other.contains(element)) continue
      const [left, right] = [near.left - box.left, box.right - near.right]
      const [above, below] = [near.top - box.top, box.bottom - near.bottom]
      if (isSmall(box.width, box.height)) {
        const apart = Math.hypot(
          Math.max(near.left - x, 0, x - near.right),
          Math.max(near.top - y, 0, y - near.bottom),
        )
        const centers = Math.hypot(near.left + near.width / 2 - x, near.top + near.height / 2 - y)
        if (apart < size / 2 || (isSmall(near.width, near.height) && centers < size)) return true
      } else if (left < box.width && right < box.width && above < box.height && below < box.height) {
        overlaps += 1
        if (overlaps > 1 || Math.max(left, right, above, below) < size) return true
      }
    }
    return false
  })
}

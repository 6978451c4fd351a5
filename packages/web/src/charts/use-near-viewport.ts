import { type RefObject, useLayoutEffect, useState } from 'react'

/** Margin around the window in CSS pixels, so that content is ready before it scrolls into view. */
const MARGIN = 300

interface Proximity {
  readonly isNear: boolean
  /** The element is near now, or was before. */
  readonly wasNear: boolean
}

/** Reports whether an element is in or close to the window; drawing of invisible content can wait. */
export function useNearViewport(element: RefObject<Element | null>): Proximity {
  const [near, setNear] = useState<Proximity>({ isNear: false, wasNear: false })
  useLayoutEffect(() => {
    const target = element.current
    if (!target) return
    const update = (isNear: boolean) =>
      setNear((before) => (before.isNear === isNear ? before : { isNear, wasNear: before.wasNear || isNear }))
    const { top, bottom } = target.getBoundingClientRect()
    update(bottom > -MARGIN && top < innerHeight + MARGIN)
    const observer = new IntersectionObserver((entries) => update(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: `${MARGIN}px`,
    })
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return near
}
